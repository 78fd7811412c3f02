"""Links of invitations."""

from django.urls import path

from spaces.join_pages import join

urlpatterns = [path("<str:secret>", join, name="join")]

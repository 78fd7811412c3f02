"""What seats fetch outside the API."""

from django.urls import path

from seats.command_file import command_file

urlpatterns = [path("kndl.py", command_file, name="kndl_command")]

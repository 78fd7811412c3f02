"""Who someone is."""

import uuid
from typing import Any, ClassVar

import rules
from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower


class UserManager(BaseUserManager["User"]):
    """Makes people; there is no other way in than an invitation or the owner link."""

    def create_user(self, email: str | None, name: str, password: str | None = None, **fields: Any) -> "User":
        """A new person. Without a password they cannot sign in until they are invited."""
        user = self.model(email=self.normalize_email(email).lower() if email else None, name=name, **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def get_by_natural_key(self, username: str | None) -> "User":
        return self.get(email__iexact=username)


class User(AbstractBaseUser):
    """A person. Without an e-mail address they are somebody a memory is about, who does not sign in."""

    class InstanceRole(models.TextChoices):
        NONE = "", "no instance role"
        ADMIN = "admin", "admin"
        OWNER = "owner", "owner"

    class Theme(models.TextChoices):
        SYSTEM = "system"
        LIGHT = "light"
        DARK = "dark"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    email = models.EmailField(null=True, blank=True, unique=True)
    name = models.CharField(max_length=200)
    instance_role = models.CharField(max_length=8, choices=InstanceRole, blank=True, default=InstanceRole.NONE)
    is_active = models.BooleanField(default=True)
    joined_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[UserManager] = UserManager()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = ["name"]

    class Meta:
        constraints = [
            models.UniqueConstraint(Lower("email"), name="user_email_once"),
            models.UniqueConstraint(
                fields=["instance_role"], condition=Q(instance_role="owner"), name="instance_has_one_owner"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def governs_instance(self) -> bool:
        """Whether they set tiers, approve installs and may open Django's admin."""
        return bool(self.instance_role)

    @property
    def is_staff(self) -> bool:
        return self.is_active and self.governs_instance

    @property
    def is_superuser(self) -> bool:
        return False

    def get_full_name(self) -> str:
        return self.name

    def get_short_name(self) -> str:
        return self.name

    def has_perm(self, permission: str, target: object = None) -> bool:
        """Asked of the rules of the rooms; there are no permission tables."""
        return self.is_active and rules.perm_exists(permission) and rules.has_perm(permission, self, target)

    def has_perms(self, permissions: list[str], target: object = None) -> bool:
        return all(self.has_perm(permission, target) for permission in permissions)

    def has_module_perms(self, app_label: str) -> bool:
        return self.is_staff

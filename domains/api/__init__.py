"""Shared domains over REST."""

"""The distiller that asks a language model, and trusts nothing that comes back."""

from django.conf import settings

from memory.embedding.endpoint import endpoint_of
from memory.layers.distillers.llm.language_model import LanguageModel
from memory.layers.rules.proposals import DistillerRefused

__all__ = ["LanguageModel", "configured_language_model"]


def configured_language_model() -> LanguageModel:
    """The distiller that KNDL_LLM_BASE_URL, KNDL_LLM_MODEL and KNDL_LLM_API_KEY describe. Raises DistillerRefused."""
    configuration = settings.KNDL
    if configuration.llm_base_url is None or configuration.llm_model is None:
        raise DistillerRefused("KNDL_LLM_BASE_URL and KNDL_LLM_MODEL are needed, and not set.", retry=False)
    return LanguageModel(endpoint_of(configuration), configuration.llm_model)

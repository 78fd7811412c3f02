"""The `kndl` command as a file, for hosts that have Python and nothing of ours."""

from pathlib import Path

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

_FILE = Path(__file__).parent / "kndl" / "kndl.py"


@require_safe
def command_file(request: HttpRequest) -> HttpResponse:
    """Public: it is the same program on every instance, and holds no secret."""
    headers = {"Content-Disposition": 'attachment; filename="kndl.py"'}
    return HttpResponse(_FILE.read_bytes(), content_type="text/x-python; charset=utf-8", headers=headers)

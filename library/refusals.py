"""Why the Library refuses, where the errors of the house have no kind for it."""

from common.errors import KndlError


class BaseRequired(KndlError):
    """A write to a file that is there names the revision it was based on: send the file's ETag as If-Match."""

    status = 428
    type = "precondition_required"
    title = "Say what this is based on"


class TypeRefused(KndlError):
    """The content is of a type that the Library does not take. The member allowed lists those it takes."""

    status = 415
    type = "media_type_refused"
    title = "Files of this type are not taken"


class RangeRefused(KndlError):
    """The range that was asked for begins behind the end of the content."""

    status = 416
    type = "range_not_satisfiable"
    title = "There is nothing in this range"

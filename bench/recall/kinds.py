"""The kinds of questions, of which limits hold for the first, and the names under which times stand."""

RANDOM_SCOPES = "of a memory, scopes at random"
ONE_SCOPE = "of a memory, one scope"
COMMON_WORDS = "of common words, scopes at random"

REST, FUNCTION, PYTHON, DATABASE, EMBEDDING = "REST", "function", "its Python", "its statements", "embedding"
# Parts of the statements.
SPREADING, WORD_SEARCH, FREQUENCIES = "vectors and graph", "word search", "frequencies of words"
RECENT, GATHERING, SOURCES, USE, OTHERS = "recent lines", "gathering", "sources", "noting the use", "others"
PARTS = (SPREADING, WORD_SEARCH, FREQUENCIES, RECENT, GATHERING, SOURCES, USE, OTHERS)
BARE = "bare nearest ten"
ROWS = (REST, FUNCTION, EMBEDDING, PYTHON, DATABASE, *PARTS, BARE)

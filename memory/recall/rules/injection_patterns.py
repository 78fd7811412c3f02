"""Shapes of instructions to a model. Every repetition is bounded."""

import re

_FEW = r"(?:[\w'’,-]{1,20} ){0,4}"

_OVERRIDE = (
    # English, German, French, Spanish, Portuguese, Italian, Russian, Chinese, Japanese, Korean.
    (
        rf"\b(?:ignore|disregard|override|bypass|forget) {_FEW}"
        r"(?:previous|prior|above|earlier|preceding|existing|system|safety|all (?:of )?(?:your|the|my)|your) "
        r"(?:[\w'’-]{1,20} ){0,2}(?:instructions?|prompts?|rules|guidelines|directives|programming|guardrails)\b"
    ),
    (
        r"\b(?:ignorier(?:e|en)|vergiss|missachte) (?:\w{1,12} ){0,3}"
        r"(?:vorherigen|bisherigen|obigen|früheren|deine) (?:\w{1,12} ){0,2}"
        r"(?:anweisungen|regeln|instruktionen|vorgaben)\b"
    ),
    (
        r"\b(?:ignor(?:e|ez|er)|oublie[zr]?) (?:\w{1,12} ){0,3}(?:instructions|consignes|règles) "
        r"(?:précédentes|antérieures|ci-dessus|du système)"
    ),
    (
        r"\b(?:ignor[ae]|olvid[ae]|esque[çc]a|dimentica) (?:\w{1,12} ){0,3}"
        r"(?:instrucciones|instruções|istruzioni|reglas|regras|regole) (?:anteriores|previas|prévias|acima|precedenti)"
    ),
    r"\b(?:игнорируй|проигнорируй|забудь)(?:те)? (?:\w{1,20} ){0,3}(?:инструкции|указания|правила)",
    r"(?:忽略|无视|無視|忘记|忘掉|不要理会).{0,8}(?:之前|以上|先前|上述|前面|所有).{0,8}(?:指令|指示|提示|规则|規則)",
    r"(?:以前|これまで|上記|今まで|前)の.{0,6}(?:指示|命令|プロンプト|ルール).{0,8}(?:無視|忘れ)",
    r"(?:이전|위의|앞의|모든).{0,6}(?:지시|명령|규칙|프롬프트).{0,8}(?:무시|잊)",
)

_COMMANDS = (
    (
        r"\byou (?:must|will|should|have to|are to) now (?:ignore|obey|answer|respond|reply|act|behave|pretend|reveal"
        r"|output|execute|call|send|print|only)\b"
    ),
    (
        r"\bfrom now on,? (?:you|the (?:assistant|model|ai)) (?:must|will|shall|should|are) (?:\w{1,12} )?"
        r"(?:act|answer|respond|reply|behave|obey|pretend|ignore|output|a|an|in)\b"
    ),
    (
        r"\byou are (?:now|no longer) (?:\w{1,12} ){0,3}(?:dan|jailbroken|unrestricted|unfiltered|developer mode"
        r"|bound by|an? (?:\w{1,12} ){0,2}(?:ai|assistant|chatbot|language model))\b"
    ),
    (
        r"\b(?:act|behave|respond|answer) as (?:if you (?:were|are) )?an? (?:\w{1,12} ){0,2}"
        r"(?:unrestricted|unfiltered|uncensored|jailbroken)\b"
    ),
    (
        r"\b(?:reveal|print|repeat|output|show|leak)(?: me| us)? (?:your|the) (?:\w{1,12} ){0,2}"
        r"(?:system prompt|system message|hidden instructions|initial instructions)\b"
    ),
    r"\b(?:do not|don't|never) (?:tell|inform|warn|alert|mention (?:this|it) to|reveal (?:this|it) to) the user\b",
    (
        r"\bif you are an? (?:\w{1,12} ){0,2}(?:ai|llm|language model|assistant|agent)\b.{0,60}\b(?:must|should|please"
        r"|then|do|ignore|send|call|say)\b"
    ),
    (
        r"\b(?:send|post|upload|forward|exfiltrate) (?:\w{1,12} ){0,4}"
        r"(?:conversation|chat history|memories|secrets|credentials|api keys?|passwords?|tokens?) to https?://"
    ),
)

_MARKUP = (
    r"\b(?:new|updated|hidden) (?:system )?(?:prompt|instructions?)\s{0,3}:",
    r"\bsystem (?:prompt|message|override)\s{0,3}:",
    (
        r"^[\s#*>\[(-]{0,8}(?:system|developer)[\])*]{0,4}\s{0,3}:.{0,80}"
        r"\b(?:you (?:are|must|will|should)|your|ignore|always|never|do not)\b"
    ),
    r"<\|(?:im_start|im_end|system|assistant|user|endoftext|start_header_id)\|?>?|\[/?INST\]|<</?SYS>>",
    (
        r"</?(?:system|system-reminder|system_prompt|function_calls?|tool_calls?|tool_use|tool_result|invoke)"
        r"(?: [^<>]{0,200})?>"
    ),
    r"^#{2,4} ?(?:instruction|system)s?\s{0,3}:",
    r"[\"'](?:tool_calls|function_call)[\"']\s{0,5}:\s{0,5}[\[{]",
    (
        r"[\"']name[\"']\s{0,5}:\s{0,5}[\"'][\w.-]{1,64}[\"']\s{0,5},\s{0,5}[\"'](?:arguments|parameters|input)[\"']\s{0,5}:"
        r"\s{0,5}[{\"']"
    ),
)

PATTERNS = tuple(
    re.compile("|".join(f"(?:{shape})" for shape in family), re.IGNORECASE | re.MULTILINE)
    for family in (_OVERRIDE, _COMMANDS, _MARKUP)
)

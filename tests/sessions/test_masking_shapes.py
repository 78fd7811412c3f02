"""Shapes in which secrets come, each filled with several random ones: the list that the rules were written beside."""

import random
import string

import pytest

from memory.sessions.masking import mask

WORDS = [
    *("sunshine", "walrus", "copper", "meadow", "lantern", "harbor", "velvet", "thunder", "pebble", "orchid", "falcon"),
    *("marble", "juniper", "saddle", "comet", "biscuit", "raven", "timber", "glacier", "mango"),
]
SEED_WORDS = [
    *(
        "abandon",
        "ocean",
        "ribbon",
        "tiger",
        "fabric",
        "lemon",
        "orbit",
        "puzzle",
        "harvest",
        "noble",
        "cactus",
        "velvet",
    ),
    *(
        "mirror",
        "glance",
        "shadow",
        "cousin",
        "dragon",
        "lunar",
        "magnet",
        "pencil",
        "rural",
        "sponge",
        "tunnel",
        "vivid",
    ),
]
LETTERS = string.ascii_letters + string.digits


def strong(chance: random.Random) -> str:
    """Return a password as people make them: a word, a capital, digits, sometimes a symbol within."""
    word = chance.choice(WORDS)
    return (
        chance.choice((str.capitalize, str))(word)
        + chance.choice("!-_@#$%&") * chance.randint(0, 1)
        + chance.choice("456789")
        + str(chance.randint(10, 999))
    )


def of(alphabet: str, length: int, chance: random.Random) -> str:
    return "".join(chance.choices(alphabet, k=length))


SECRETS = {
    "pw": strong,
    "word": lambda chance: chance.choice(WORDS),
    "phrase": lambda chance: " ".join(chance.sample(WORDS, 4)),
    "pin": lambda chance: of(string.digits, 4, chance),
    "code": lambda chance: str(chance.randint(100_000, 999_999)),
    "split": lambda chance: f"{chance.randint(100, 999)} {chance.randint(100, 999)}",
    "hex": lambda chance: of("0123456789abcdef", 32, chance),
    "key": lambda chance: of(string.ascii_letters, 6, chance) + "4k9" + of(LETTERS, 31, chance),
    "short": lambda chance: of(string.ascii_letters, 6, chance) + "7" + of(LETTERS, 9, chance),
    "upper": lambda chance: (
        of(string.ascii_uppercase, 7, chance) + "4" + of(string.ascii_uppercase + "234567", 8, chance)
    ),
    "recovery": lambda chance: of("abcdef", 3, chance) + "4" + "-" + of("0123456789abcdef", 4, chance),
    "seed": lambda chance: " ".join(chance.sample(SEED_WORDS, 12)),
    "lines": lambda chance: (
        "\n".join(of(LETTERS, 64, chance) for _ in range(4)) + "\n" + of(LETTERS, 30, chance) + "7=="
    ),
}

# kind | template; a secret's name in braces; \n is a new line
FIRST_LIST = r"""
provider key|my key is sk-{key}
provider key|OPENAI_API_KEY=sk-proj-{key}
provider key|use ghp_{key} for the clone
provider key|export GITHUB_TOKEN="github_pat_{key}"
provider key|glpat-{key}
provider key|(xoxb-123456789012-{key})
provider key|aws id AKIA{upper} leaked
provider key|maps?key=AIzaSy{key}
provider key|the `hf_{key}` one
provider key|**npm_{key}**
provider key|whsec_{key}
provider key|SG.{key}
provider key|dckr_pat_{key}
provider key|hvs.{key}
provider key|sk_live_{key}
provider key|"gsk_{key}",
token|here is the jwt eyJhbGciOiJIUzI1NiJ9.eyJ{key}.{key}
private key|-----BEGIN RSA PRIVATE KEY-----\n{lines}\n-----END RSA PRIVATE KEY-----
private key|-----BEGIN OPENSSH PRIVATE KEY-----\n{lines}
private key|{{"private_key": "-----BEGIN PRIVATE KEY-----\\n{key}{key}\\n-----END PRIVATE KEY-----\\n"}}
password|postgres://kim:{pw}@db.internal:5432/app
password|redis://:{pw}@cache:6379/0
password|git clone https://kim:{short}@code.example.org/x.git
signed link|https://files.example.org/a.pdf?X-Amz-Expires=60&X-Amz-Signature={hex}
signed link|https://blob.example.net/x?sv=2022-11-02&sig={key}%3D
token|https://app.example.org/reset?token={key}
signed link|https://hooks.slack.com/services/T0{upper}/B0{upper}/{short}
signed link|https://discord.com/api/webhooks/123456789012345678/{key}
one-time code|otpauth://totp/Example:kim?secret={upper}&issuer=Example
token|Authorization: Bearer {key}
token|Authorization: Basic {key}==
key|curl -H "X-Api-Key: {key}" https://api.example.org
token|-H 'PRIVATE-TOKEN: {short}'
cookie|Cookie: sid={key}; theme=dark
cookie|Set-Cookie: session={short}; Path=/; HttpOnly
password|curl -u kim:{pw} https://example.org
password|mysql -u root -p{pw} shop
password|mysqldump --password={pw} shop
password|sshpass -p '{pw}' ssh kim@host
password|wget --http-password {pw} https://example.org
password|docker login -u kim -p {pw}
password|redis-cli -a {pw} ping
token|mytool --token {key} push
password|openssl enc -aes-256-cbc -pass pass:{pw}
password|connect with -p{pw} please
password|echo "{pw}" | sudo -S reboot
password|DB_PASSWORD={pw}
password|export PGPASSWORD='{pw}'
password|{{"user": "kim", "password": "{word}"}}
password|{{\"password\": \"{pw}\"}}
password|password: {pw}
password|  password: {word}
password|Server=db;User Id=sa;Password={pw};Encrypt=true
key|AccountName=store;AccountKey={key}{key}==;EndpointSuffix=x
password|jdbc:postgresql://db/app?user=kim&password={pw}
password|machine example.org login kim password {word}
password|machine example.org\n  login kim\n  password {pw}
password|db.internal:5432:shop:kim:{pw}
password|<password>{pw}</password>
password|<add key="DbPassword" value="{pw}"/>
password|- name: DB_PASSWORD\n  value: {pw}
token|apiVersion: v1\nkind: Secret\ndata:\n  thing: {short}
token|client_secret = "{key}"
key|aws_secret_access_key = {key}
key|apiKey: '{short}',
password|os.environ["DB_PASSWORD"] = "{pw}"
password|ALTER ROLE kim WITH PASSWORD '{pw}'
password|CREATE USER kim IDENTIFIED BY '{pw}';
password|WIFI:T:WPA;S:Home;P:{pw};;
password|\| password \| {pw} \|
password|&quot;password&quot;: &quot;{pw}&quot;
password|redirect=%3Fuser%3Dkim%26password%3D{short}
password|my password is {pw}
password|My password is {pw}.
password|the wifi password's {pw} by the way
password|the password for the router is {pw}
password|The password to my laptop is **{pw}**
password|the password is `{pw}`, don't share
password|password is “{phrase}”
password|my passphrase is {phrase}
password|The password is {word}.
password|pw = {pw}
password|pw: {word}
password|pwd {pw}
password|Netflix: user kim@example.org password {pw}
password|username kim, password {word}
password|enter {pw} as the password
password|use {word} as your password
password|type "{phrase}" as the password
password|{pw} is my password
password|I changed my password to {pw} yesterday
password|set the admin password to {pw}
password|the password has been reset to {pw}
password|log in with admin / {pw}
password|login: admin / {word}
password|credentials: kim:{pw}
password|sign in as kim@example.org with {pw}
password|Das Passwort lautet {word}
password|Mein Passwort ist {pw}
password|Kennwort: {word}
password|la contraseña es {pw}
password|contraseña: {word}
password|mot de passe : {word}
password|le mot de passe est {pw}
password|senha: {pw}
password|пароль: {pw}
password|パスワードは{pw}です
password|密码是{pw}
password|密码：{word}
PIN|my PIN is {pin}
PIN|PIN: {pin}
PIN|the pin for my card is {pin}
PIN|the door code is {pin}
PIN|garage code: {pin}#
one-time code|the code is {code}
one-time code|Your verification code is {code}.
one-time code|{code} is your login code
one-time code|use {code} to log in
one-time code|OTP {code}
one-time code|code: {split}
one-time code|验证码：{code}
one-time code|Ihr Bestätigungscode lautet {code}
recovery code|recovery codes:\n{recovery}\n{recovery}\n{recovery}
recovery code|my backup codes are {recovery}, {recovery} and {recovery}
recovery code|Backup codes for mail:\n1. {recovery}\n2. {recovery}
seed phrase|seed phrase: {seed}
seed phrase|my recovery phrase is {seed}
seed phrase|{seed}
token|random {key}{short}A9z
"""


def shapes(listed: str) -> list[tuple[str, str]]:
    """Return (kind, template) of a list's lines."""
    lines = [line for line in listed.splitlines() if line.strip()]
    cut = [line.split("|", 1) for line in lines]
    return [
        (kind, template.replace(r"\|", "|").replace("\\\\n", "\0").replace("\\n", "\n").replace("\0", "\\n"))
        for kind, template in cut
    ]


def filled(template: str, seed: int) -> tuple[str, list[str]]:
    """Return a template with random secrets, and the secrets."""
    chance = random.Random(f"{template}{seed}")
    put: list[str] = []

    class Drawn(dict[str, str]):
        def __missing__(self, name: str) -> str:
            put.append(SECRETS[name](chance))
            return put[-1]

    return string.Formatter().vformat(template, (), Drawn()), put


def shows(masked: str, secrets: list[str]) -> bool:
    """Tell whether anything of the secrets is left."""
    return any(part in masked for secret in secrets for part in secret.split("\n"))


@pytest.mark.parametrize(("kind", "template"), shapes(FIRST_LIST))
def test_a_secret_is_hidden_and_named_by_its_kind(kind, template):
    for seed in range(5):
        text, put = filled(template, seed)
        masked = mask(text)
        assert not shows(masked.text, put), (text, masked.text)
        assert kind in masked.counts, (text, masked.text)
        assert mask(masked.text) == (masked.text, {})

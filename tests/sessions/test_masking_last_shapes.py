"""A last list, written when the rules had been mended after the second: 72 of 88 at first contact."""

import pytest

from memory.sessions.masking import mask
from tests.sessions.test_masking_innocents import lines
from tests.sessions.test_masking_shapes import filled, shapes, shows

THIRD_LIST = r"""
password|hey, if they ask for a password just say {pw}
password|the laptop unlocks with {pw}
password|Please note the new credentials. Login: kim Password: {pw}
password|Password for the projector: {word}
password|my password? {pw}
password|it's {pw}, that's the wifi password
password|Router admin page: 192.168.1.1, admin / {pw}
password|the guest network password is now {word}
password|She picked "{phrase}" for her passphrase
password|I'm using {pw} as a temporary password until Friday
password|You should be able to log in using kim@example.org and {pw}
password|here you go, pw {pw}
one-time code|passcode is {code}
PIN|iPad passcode: {pin}
password|Kids tablet password = {word}
password|my email is kim@example.org and my password is {pw}
password|the password I gave you was {pw}
password|the password he uses everywhere is {pw}
password|Zugangsdaten: kim / {pw}
password|Benutzer: kim, Passwort: {pw}
password|usuario kim contraseña {pw}
password|identifiant : kim, mot de passe : {pw}
password|Senha do wifi: {word}
password|密码：`{pw}`
password|"db_password":"{pw}","port":5432
password|admin_password = "{word}"
password|password='{phrase}'
password|[client]\nuser=kim\npassword={pw}
password|  stringData:\n    password: {pw}
password|new PasswordAuthentication("kim", "{pw}")
password|smtp.login("kim@example.org", "{pw}")
password|$env:DB_PASSWORD = "{pw}"
password|set PGPASSWORD={pw}
password|-e MYSQL_PASSWORD={pw}
password|--db-password="{pw}"
password|mysqladmin -u root password '{pw}'
password|rclone config create r sftp user kim pass {pw}
password|ssh kim:{pw}@10.0.0.9
password|https://kim:{pw}@grafana.example.org/d/1
password|jdbc:sqlserver://db;user=sa;password={pw};
password|Data Source=db;User ID=sa;Pwd={pw};
password|\| wifi \| `{pw}` \| password \|
password|*Password:* {pw}
password|“Password: {pw}”
password|pass­word: {pw}
token|TELEGRAM_TOKEN=123456789:AA{key}
token|webhook secret: {hex}
token|the refresh token you want is {key}
token|?auth={hex}
token|X-Auth-Token: {hex}
token|x-access-token={key}
token|"accessToken": "{key}"
token|session_id={hex}
token|csrf_token: "{hex}"
key|STRIPE_KEY={hex}
key|encryption key: {hex}
key|license key {upper}-{upper}
key|Ocp-Apim-Subscription-Key: {hex}
provider key|token=glpat-{short}
provider key|curl https://api.example.com -H "x-api-key: sk-ant-{key}"
signed link|https://chat.example.org/hooks/{short}{short}
signed link|https://example.org/invite/{key}
token|https://example.org/cb?code={key}&state=x
cookie|"cookie": "sid={key}; a=b"
cookie|set-cookie: __Host-id={short}; Secure
private key|-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{lines}\n-----END PGP PRIVATE KEY BLOCK-----
private key|key = '''-----BEGIN PRIVATE KEY-----\n{lines}\n-----END PRIVATE KEY-----'''
PIN|card pin {pin}
PIN|the PIN's {pin}
PIN|ATM PIN = {pin}
PIN|Keypad code is {pin}, then press star
PIN|my locker combination is 12-24-36
one-time code|la puerta se abre con el código {pin}
PIN|PIN code is **{pin}**
one-time code|{code}
one-time code|code {code}
one-time code|They texted me {code} as the code
one-time code|authenticator shows {code}
one-time code|Your Example code: {code}
one-time code|Dein Code lautet {code}
one-time code|Use code {code} to verify your account
one-time code|OTP: {split}
one-time code|Your code is K7QX9M
recovery code|backup code {recovery}
recovery code|Recovery codes: `{recovery}` `{recovery}` `{recovery}`
recovery code|emergency codes - {recovery}, {recovery}
seed phrase|the wallet's recovery words are {seed}
seed phrase|1. ice 2. tie 3. lemon 4. orbit 5. puzzle 6. noble 7. cactus 8. velvet 9. zoo 10. gym 11. elf 12. fox: seed
"""

LAST_INNOCENT = r"""
if they ask for a password, say you don't have one
the laptop unlocks with a fingerprint
my password? I forgot it
You should be able to log in using your email and password
Kim told Lee the password yesterday
passcode lock is off
an iPad with a broken screen
The code 200 means success
code red
Use code blocks for samples
use code SAVE2024 for 10% off
our cooking class is at 6:30, room 12
ATM fees are 3.50
the locker is blue
combination skin
we hiked 12-24 km
His card arrived on 12-03-2024
I texted her 30 times
an authenticator app shows six digits
emergency contacts are on page 4
The recovery words are never stored
License: Apache-2.0
license key required
encryption key: rotated yearly
session_id is required
csrf_token: "{{ csrf_token }}"
STRIPE_KEY=pk_placeholder
cache_key = f"user:{user_id}"
partition_key = "tenant_id"
foreign_key="orders.customer_id"
hash_key: order_id
"key": "value"
"token": "string"
"auth": {"type": "none"}
the admin panel is at /admin
root cause: config 2
guest list: 45 people
demo: 3 minutes
admin: 3 seats, viewer: 10 seats
kim@example.org: please review PR 4711
git clone git@code.example.org:kim/tool-2.git
scp kim@host.example.org:backup-2.tar .
postgresql://kndl_app:…@db.example:5432/kndl
http://localhost:8080/?mail=kim@example.org
email me at kim@example.org / call 555-0100
https://example.org/invite/friends
https://example.org/cb?code=200&state=ok
https://example.org/login/forgot-your-password-here
git push -u origin main
sort -u names.txt
docker run -u 1000:1000 app
chown -R kim:staff /srv
curl -b cookies.txt https://example.org
pip install -e .[dev]
python -c "print(1)"
node -p process.version
psql -p 5433 -U kim
mysql -u root -p
7z x archive.7z
zip -r out.zip docs
ldapsearch -x -b dc=example
the pass rate: 87%
first pass: remove duplicates
pass 1 of 3
Auth: done
secret_name: web
tokens = text.split()
He kept the secret: nobody knew
password hunter games are silly
password rules: see wiki
passwords expire after 90 days
Is "password" really the most used password?
"""

# No word says that there is a secret, or it stands where no sentence has it.
KNOWN_MISSES = frozenset(("the laptop unlocks with {pw}", "| wifi | `{pw}` | password |", "{code}"))


@pytest.mark.parametrize(("kind", "template"), shapes(THIRD_LIST))
def test_a_secret_of_the_last_shapes_is_hidden_but_for_the_known_misses(kind, template):
    for seed in range(5):
        text, put = filled(template, seed)
        masked = mask(text)
        hidden = kind in masked.counts and not shows(masked.text, put)
        assert hidden == (template not in KNOWN_MISSES), (text, masked.text)


@pytest.mark.parametrize("line", lines(LAST_INNOCENT))
def test_one_of_the_last_lines_without_a_secret_is_left_as_it_is(line):
    assert mask(line) == (line, {})

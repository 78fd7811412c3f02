"""Lines without a secret, many of them about secrets: they come out as they went in."""

import pytest

from memory.sessions.masking import mask

# A line each; \n is a new line.
INNOCENT = r"""
the password is wrong
The password is incorrect.
I forgot my password
I forgot my password again, can you help?
password reset
Please use the password reset link we sent you
the key is under the mat
My password is too long
the password was changed last week
Your password must be at least 12 characters long
Password: required
Password must contain a digit and a symbol.
Is the password case-sensitive?
The password is stored in the safe
The password is the name of my first dog
my password is not working
the password is expired
The password is always changed on Mondays
Never share your password with anyone
a password manager is a good idea
I use a password manager called 1Password
We hash every password with bcrypt and a salt
passwords are hashed with argon2id
The password is hashed with SHA-256
password: string
password: str = Field(min_length=8)
def login(user: str, password: str) -> bool:
password = request.form["password"]
password = getpass.getpass("Password: ")
password = None
token = get_token(user)
const token = await fetchToken();
const password = process.env.DB_PASSWORD
DB_PASSWORD=${DB_PASSWORD}
password: ${{ secrets.DB_PASSWORD }}
password: <your password>
password: your-password-here
"password": "********"
password=xxxxxxxx
if password == confirm_password:
raise ValueError("password is required")
<input type="password" name="password" id="password">
<label for="password">Password</label>
{"type": "password", "label": "Password", "placeholder": "Enter your password"}
"forgot_password": "Forgot your password?"
self.password = password
user.set_password(password)
PASSWORD_HASHERS = ["django.contrib.auth.hashers.PBKDF2PasswordHasher"]
PASSWORD_MIN_LENGTH=12
max_tokens: 4096
The model used 1532 tokens
tokens: 20481
token_type: bearer
the access token expires after 3600 seconds
secret santa is on friday
The secret is to rest the dough overnight
the secret to a good marriage is patience
my secret ingredient is cinnamon
The key to success is persistence
press any key to continue
the primary key is user_id
key: value
sort by key = "name"
public key cryptography
What is the password?
what's the wifi password?
ask Tom for the password
can you send me the code
the code is broken
the code is in the repo
error code is 404
status code: 500
exit code 1
HTTP status code 20000 does not exist
my zip code is 94110
Zip code: 10115
the postal code is 80331
area code 415
country code: 0049
promo code: SUMMER2024
use discount code SAVE20 at checkout
product code 483921
the dress code is casual
the source code is 12000 lines
code: 3 errors found
he wrote 2500 lines of code
The code review is at 1430 today
QR code
error code: 0x80070057
I pinned the message
pin 13 is the LED
GPIO pin: 17
connect pin 7 to ground
she wore a pin from 1920
rolling pin 20 cm
We met in 2019 and moved in 2021
My number is 555-0134
call me at 415 555 0134
the train leaves at 10:45 from platform 12
I paid 1200 euros
order number 482913
invoice 2024-0183
tracking number 1Z999AA10123456784
flight LH2034 on 2024-03-04
chapter 12, verse 4
commit 9fceb02d0ae598e95dc970b74767f19372d61af8
sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
550e8400-e29b-41d4-a716-446655440000
integrity sha512-Z1PHA5F8a2mUrT4Vu1pGk8Y7m9qK3bX6nJ0cLwD5eRfHsTgVyUiOpAaSdFgHjKlZxCvBnM1234567890abcdQ==
https://example.org/blog/2024/03/how-to-choose-a-password
https://example.org/search?q=password+reset&page=2
https://example.org/?token=
https://user@example.org/path
https://en.example.org/wiki/Password_(computing)
postgres://user:password@localhost:5432/db
postgres://kim:${PGPASSWORD}@localhost/db
mailto:kim@example.org
see https://docs.example.org/auth/login for how to log in
docker run -p 8080:80 web
ssh -p 2222 kim@example.org
mkdir -p /srv/data/backups
find . -name "*.py" -print0
nmap -p1-65535 host
pytest -p no:cacheprovider
make -j4 -pthread
git log -p src/main.py
python -m http.server -b 0.0.0.0
curl -u "$USER:$PASS" https://example.org
curl -H "Authorization: Bearer $TOKEN" https://example.org
Authorization: Bearer <token>
Set-Cookie is a response header
I baked cookies: chocolate and oat
cookie: chocolate chip
log in with Google / Facebook
sign in with email or phone
log in as admin and open the settings
login: see the wiki
credentials are in the vault
user: kim, role: admin
admin/settings
the ratio was 3:1
use it as the password
use something long as the password
Choose a phrase you will remember as your password
enter your email as the username
she is my boss
that is my password manager
What is my password
The problem is the password
we changed the password to something stronger
I need to change my password to be safe
change your password to avoid trouble
set a password to protect the file
passwords don't match
the passport is in the drawer
the compass points north
bypass the filter: hold the button
pass: 12, fail: 3
the mountain pass is closed
a boarding pass for flight 204
he will pass the exam
password-protected zip files
password authentication is disabled
password policy: 90 days
password length: 16
password strength: weak
Password (optional)
Password:
Enter password for kim:
Password for 'https://kim@example.org':
sudo: a password is required
the wifi password is on the fridge
the password is hidden behind the picture
you'll need a password and a username
username and password
username/password
user name, password, and e-mail
the password field is empty
passphrase is stored in the keychain
The passphrase should be long
recovery codes are printed on paper
keep your backup codes in a safe place
I lost my recovery codes
Generate new backup codes under Settings
backup 2024-01-03 finished
my seed phrase is on paper in the bank
plant the seeds in april
a seed phrase has 12 or 24 words
the mnemonic for the planets is my very educated mother
we walked along the river and then had lunch with some friends
thanks for listening today it means more than words could ever say to me
api keys are rotated every month
the api key is invalid
API key: see the dashboard
the license key is printed on the box
secret: true
"secret": false
token: null
auth: basic
auth: oauth2
authToken: AuthToken
private_key_path: /etc/ssl/private/server.key
ssl_key = "/etc/ssl/server.key"
secretName: web-tls
from secrets import token_urlsafe
AWS_REGION=eu-central-1
class PasswordField(CharField):
import { Password } from "./password";
the session is at 1430
session id is logged
the combination of 3 and 4 is 7
the verification code has expired
I didn't get a verification code
The OTP is sent by SMS
enter the code to log in
2FA is on
we need 2fa for admins
one-time password login is supported
das Passwort ist falsch
Ich habe mein Passwort vergessen
la contraseña es incorrecta
he olvidado mi contraseña
le mot de passe est incorrect
a senha está errada
пароль неверный
パスワードを忘れました
密码错误
the paroled man
Müller's passion is opera
Jon, your passion inspires me!
I'm so proud of you — keep going! 💪
open 24/7
he said "the password" and laughed
"password" is the worst password
password123 is a bad password idea, they say
my dog's name is Walrus
the answer is 42
version 2.13.4 fixes CVE-2024-12345
RFC 7519 defines JSON Web Tokens
ISO 27001, SOC 2 and HIPAA
x = y + 2 * z
for key, value in items:
SELECT id, password_hash FROM users WHERE id = 4
ALTER TABLE users ADD COLUMN password varchar(255)
- [ ] rotate the database password
## Password rules
| password | string | required |
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGv6zTn7wq0ZkX1r5PpD8sY2mB4cJ9hQeLtUaWfRxNoK kim@laptop
data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk
I left the keys at your place
the piano keys are sticky
monkey business
turkey sandwich
The token ring network
as a token of my appreciation
a secret admirer sent 12 roses
PIN is short for personal identification number
don't tell anyone your PIN
I forgot my PIN
the pin is 4 digits long
code 2 of the building regulations
"""


def lines(listed: str) -> list[str]:
    return [line.replace("\\n", "\n") for line in listed.splitlines() if line.strip()]


@pytest.mark.parametrize("line", lines(INNOCENT))
def test_a_line_without_a_secret_is_left_as_it_is(line):
    assert mask(line) == (line, {})

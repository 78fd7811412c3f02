"""Shapes and innocent lines written down after the rules: at first contact 141 of 162 shapes were hidden whole."""

import pytest

from memory.sessions.masking import mask
from tests.sessions.test_masking_innocents import lines
from tests.sessions.test_masking_shapes import filled, shapes, shows

SECOND_LIST = r"""
password|ok so for the NAS you go to the login page and put in {pw} as the password
password|Guest wifi is called Bluebird and the password there is {pw}
password|pass is {pw}
password|the pw is {pw} btw
password|PW={pw}
password|my old password was {pw}
password|I always use {pw} for my password
password|try {pw} as passcode
password|Could you log into the portal for me? user: kim.lee, pass: {pw}
password|you can get in with kim / {pw}
password|Username: kim\nPassword: {word}
password|user=kim\npass={pw}
password|u: kim p: {pw}
password|Login - kim@example.org\nPassword - {pw}
password|The credentials are admin:{pw}
password|creds: svc-backup / {pw}
password|ssh root@10.0.0.5, password {pw}
password|(password: {pw})
password|password → {pw}
password|Password is: {pw}
password|the password is actually {pw}
password|The new password will be {pw} from Monday
password|Her Netflix password is {pw}, she said
password|Just so you remember: the alarm app's password is "{phrase}"
password|My master password is {phrase}.
password|passphrase: {phrase}
password|The passphrase for the backup drive is '{phrase}'
password|The vault opens with the passphrase {phrase}
password|unlock the disk with "{phrase}" as the passphrase
password|remember this: {pw} is the router password
password|{pw} <- that's the password
password|I set my password to {word} because it is easy
password|we changed the wifi password, it's {pw} now
password|password has been updated to {pw}.
password|Temporary password: {pw} (expires tomorrow)
password|Initial password: **{pw}**
password|\| db password \| `{pw}` \|
password|<b>Password:</b> {pw}
password|<td>Password</td><td>{pw}</td>
password|- **Password**: `{pw}`
password|Password:\n{pw}
password|Here is the password:\n\n{pw}\n\nThanks
password|Passwort: {pw}
password|Das Passwort für das WLAN ist {pw}
password|WLAN-Passwort: {word}
password|La contraseña del wifi es {pw}
password|La clave del wifi es {pw}
password|le mot de passe du wifi c'est {pw}
password|la password è {pw}
password|het wachtwoord is {pw}
password|lösenordet är {pw}
password|hasło: {pw}
password|пароль от вайфая: {pw}
password|パスワード：{pw}
password|비밀번호는 {pw} 입니다
password|wifi密码 {pw}
password|spring.datasource.password={pw}
password|SPRING_DATASOURCE_PASSWORD: "{pw}"
password|MYSQL_ROOT_PASSWORD={word}
password|      - POSTGRES_PASSWORD={pw}
password|ENV ADMIN_PASS {pw}
password|define('DB_PASSWORD', '{pw}');
password|$db_pass = '{pw}';
password|"Password" => "{pw}",
password|conn = connect(host="db", user="kim", password="{pw}")
password|auth=("kim", "{pw}")
password|dsn = "host=db user=kim password={pw} dbname=shop"
password|mongodb+srv://kim:{pw}@cluster0.example.net/?retryWrites=true
password|amqps://svc:{pw}@mq.example.org/vhost
password|ftp://kim:{short}@ftp.example.org
password|smb://WORKGROUP;kim:{pw}@fileserver/share
password|curl --user kim:{pw} -T x ftp://example.org
password|mysql -h db -u kim -p'{pw}' shop
password|PGPASSWORD={pw} psql -h db
password|psql "postgresql://kim:{pw}@db/shop"
password|net use Z: \\\\server\\share /user:kim {pw}
password|7z a -p{pw} out.7z docs
password|gpg --batch --passphrase {pw} -c file
password|ansible-playbook -e "ansible_become_pass={pw}" site.yml
password|echo kim:{pw} \| chpasswd
password|ldapsearch -D cn=admin -w {pw} -b dc=x
password|root:$6$abcdefgh${key}{key}:19000:0:99999:7:::
password|psk="{pw}"
password|wpa_passphrase={pw}
password|requirepass {pw}
password|sendmail AUTH: smtp_password: {pw}
provider key|here, take it: sk-ant-api03-{key}
provider key|token ghs_{key} works
provider key|AIza{key}
provider key|SLACK_BOT_TOKEN=xoxb-{key}
provider key|pypi-AgEIcHlwaS5vcmc{key}
provider key|shpat_{hex}
provider key|sq0csp-{key}
provider key|glsa_{key}
provider key|rk_live_{key}
provider key|"PMAK-{hex}"
provider key|figd_{key}
provider key|lin_api_{key}
provider key|ASIA{upper}
token|Bearer {key}
token|fetch(u, {{headers: {{Authorization: `Bearer {key}`}}}})
token|-H "Authorization: Token {hex}"
token|GET /me?access_token={key} HTTP/1.1
token|token: {hex}
key|SECRET_KEY_BASE={hex}
token|JWT_SECRET="{short}"
token|"refresh_token":"{key}"
token|the bot token is {key}
token|//npm.example.org/:_authToken={hex}
password|auth: {{"auths":{{"r.example.org":{{"auth":"{key}=="}}}}}}
key|X-API-KEY: {hex}
key|api_key={hex}
key|my api key is {short}
key|AZURE_OPENAI_KEY={hex}
key|AWS_SECRET_ACCESS_KEY="{key}"
key|"SharedAccessKey={key}=;EntityPath=x"
cookie|cookie: csrftoken={short}; sessionid={key}
cookie|document.cookie = "auth={key}"
cookie|curl -b "sid={key}" https://example.org
signed link|https://s3.example.com/f?AWSAccessKeyId=AKIAQQQQ&Expires=1&Signature={key}%3D
signed link|https://storage.example.com/o?X-Goog-Signature={hex}{hex}
signed link|[download](https://cdn.example.com/a.zip?sig={key}&exp=99)
signed link|https://example.org/password-reset/{key}
signed link|https://hooks.zapier.com/hooks/catch/123456/{short}/
private key|-----BEGIN EC PRIVATE KEY-----\n{lines}\n-----END EC PRIVATE KEY-----\nthanks
private key|> -----BEGIN PRIVATE KEY-----\n> {key}{key}\n> -----END PRIVATE KEY-----
provider key|AGE-SECRET-KEY-1{upper}{upper}{upper}
PIN|PIN for the SIM: {pin}
PIN|my bank pin's {pin}
PIN|my card's PIN number is {pin}
PIN|mein PIN ist {pin}
PIN|El PIN es {pin}
one-time code|The code for the front door is {pin}
PIN|gate code {pin}#
PIN|the alarm code changed to {pin}
PIN|punch in {pin} at the keypad
PIN|the safe combination is 12-34-56
PIN|phone unlock pin: {code}
PIN|use {pin} as the pin
one-time code|G-{code} is your Google verification code.
one-time code|Your one-time code: {split}
one-time code|{code} is your Example verification code. Do not share it.
one-time code|Enter {code} to sign in
one-time code|the 2FA code is {code}
one-time code|SMS code: {code}
one-time code|I got the code, it's {code}
one-time code|your login code is **{code}**
one-time code|Mein TAN ist {code}
one-time code|Tu código de verificación es {code}
one-time code|Votre code de vérification est {code}
one-time code|【Example】您的验证码是{code}，5分钟内有效
one-time code|Your security code is: {code}. It expires in 10 minutes.
recovery code|Recovery code: {recovery}
recovery code|2FA backup codes: {recovery} {recovery} {recovery} {recovery}
recovery code|Save these recovery codes:\n- [ ] {recovery}\n- [ ] {recovery}
recovery code|GitHub recovery codes\n\n{recovery}\n{recovery}
recovery code|Backup-Codes: {recovery}, {recovery}
recovery code|BitLocker recovery key: 123456-234567-345678-456789-567890-678901-789012-890123 {recovery}
seed phrase|Here are my 12 words: {seed}
seed phrase|wallet seed = "{seed}"
seed phrase|mnemonic: {seed}
seed phrase|my secret recovery phrase: "{seed}"
"""

LATER_INNOCENT = r"""
The login page says the password field must not be empty
I can't remember which password I used
Passwords should never be reused across sites, honestly
My password manager broke yesterday and I was locked out for hours
The default password is documented in the manual
She told me the password in person
the password is the same as before
The wifi password is written on the router
Password: at least eight characters, one digit
password - see below
Password confirmation doesn't match Password
we store passwords as bcrypt hashes; nobody can read them
Can I log in with my old password?
try resetting your password and logging in again
Wrong password. Try again or click Forgot password to reset it.
The passcode screen flickers
token budget is 8000 per request
The tokenizer splits words into 3 tokens on average
secret: sealed by default
It's an open secret that he's leaving
the API key goes into the header
You'll get an access token and a refresh token
JWTs have three parts: header, payload, signature
set the Authorization header to "Bearer <your token>"
the session cookie is HttpOnly and SameSite=Lax
I like the cookies = biscuits debate
code: 42 lines changed
He scored 4711 points
The office is in room 4711
Our house number is 4711
My luggage weighs 2300 g
The code of conduct is on page 12
the code is 95% done
code is 2000 lines long
Visual Studio Code 1.85
use 2000 calories a day to lose weight
Enter 3 to continue
type 2 diabetes
press 1 for English
She was born on 1984-05-06
The year code names start with A
Recovery takes 6 weeks after the surgery
the backup ran at 0300 and copied 48210 files
restore key results from 2023
seed the database with 500 rows
The seed phrase "abandon" test vectors are public
words like river, stone and cloud come up a lot
the recovery phrase is never shown twice
let keyboard = KeyboardEvent.key;
const { token, secret } = config;
token = tokens[index]
secret_key = os.environ.get("SECRET_KEY")
api_key=settings.API_KEY
password=args.password,
password: z.string().min(8),
password VARCHAR(128) NOT NULL,
validatePassword(password: string): boolean {
@Column() password: string;
"password": {"type": "string", "minLength": 8}
password = forms.CharField(widget=forms.PasswordInput)
raise AuthenticationFailed("Invalid token.")
logger.info("password reset for %s", user)
assert response.json() == {"detail": "Invalid password"}
t("auth.password.label")
password_hash = hash_password(password)
GITHUB_TOKEN: ${{ secrets.GITHUB_TOKEN }}
--password-file /run/secrets/db
--token-ttl 3600
--key-size 4096
ssh -i ~/.ssh/id_ed25519 kim@host
scp -P 2222 file host:
tar -xzf backup-2024-01-03.tar.gz
rsync -avP src/ dst/
kubectl get secret web-tls -o yaml
openssl rand -hex 32
docker login registry.example.org
gh auth login
npm login
sudo passwd kim
vault login
ls -p1
cp -pR a b
echo "hello" | sudo tee /etc/motd
https://example.org/auth/login?next=/home
https://example.org/reset-password
https://example.org/api/v2/tokens?page=3
https://www.example.com/watch?v=dQw4w9WgXcQ
https://maps.example.com/?q=52.5200,13.4050&z=12
https://example.org/a?hash=top
https://example.org/issues/4711#issuecomment-839201
Meeting ID 839 2011 4422
ISBN 978-3-16-148410-0
IBAN is on the invoice
UTC+02:00
sha1 da39a3ee5e6b4b0d3255bfef95601890afd80709
3f2504e0-4f89-11d3-9a0c-0305e82c3301
/home/kim/projects/kndl/memory/sessions/masking/values_of_the_first_kind.py
TheQuickBrownFoxJumpsOverTheLazyDogTwiceInARowAndThenSleeps
my favourite pass is the Stelvio
Pass the salt
He made a pass at 40 km/h
credentials: expired
auth is broken on staging
the login is slow
user: admin
I signed in with my work account and it worked
login with SSO / SAML
log in as user root / administrator
logged in at 10:42, logged out at 11:15
accounts payable: 1200.50
access: read/write
connect to localhost:5432/db
Das WLAN-Passwort hängt am Kühlschrank
Passwort vergessen?
Die PIN ist vierstellig
Olvidé la contraseña
La clave del éxito es la constancia
Mot de passe oublié ?
La password è sbagliata
Wachtwoord vergeten
пароль не подходит
"""


@pytest.mark.parametrize(("kind", "template"), shapes(SECOND_LIST))
def test_a_secret_of_a_later_shape_is_hidden(kind, template):
    for seed in range(5):
        text, put = filled(template, seed)
        masked = mask(text)
        assert not shows(masked.text, put), (text, masked.text)
        assert kind in masked.counts, (text, masked.text)
        assert mask(masked.text) == (masked.text, {})


@pytest.mark.parametrize("line", lines(LATER_INNOCENT))
def test_a_later_line_without_a_secret_is_left_as_it_is(line):
    assert mask(line) == (line, {})

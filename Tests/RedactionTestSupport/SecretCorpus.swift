/// Credentials in every spelling and every place in which they travel: each must be hidden by
/// everything that redacts.
public enum SecretCorpus {
    /// All cases.
    public static let all: [SecretCase] = {
        var cases = NumberedCases()
        for name in names {
            for spelling in Spelling.allCases { cases.add(spelling.name(name), spelling) }
        }
        for shape in shapes { cases.add(shape: shape) }
        for (carrier, template) in templates { cases.add(carrier, template) }
        return cases.all
    }()

    /// Every name once at each place, in one of its spellings, and all else: for what takes longer.
    public static let sample: [SecretCase] = {
        var cases = NumberedCases()
        for (index, name) in names.enumerated() {
            let spelling = Spelling.allCases[index % Spelling.allCases.count]
            cases.add(spelling.name(name), spelling)
        }
        for shape in shapes { cases.add(shape: shape) }
        for (carrier, template) in templates { cases.add(carrier, template) }
        return cases.all
    }()

    /// The credentials that are in a text.
    public static func found(in text: String) -> Set<String> {
        Set(text.matches(of: /k7Zq\d+Wx9vB/).map { String($0.output) })
    }

    /// Names that tell, as APIs and frameworks write them.
    public static let names = [
        "password", "passwd", "pass", "pwd", "pw", "passphrase", "passcode", "password1",
        "password2", "new_password", "old-password", "currentPassword", "password_confirmation",
        "passwordConfirm", "passwordRepeat", "plainPassword", "db_password", "DB_PASS",
        "smtp_password", "userPass", "secret", "client_secret", "clientSecret", "app_secret",
        "token", "access_token", "accessToken", "ACCESS-TOKEN", "refresh_token", "id_token",
        "id_token_hint", "api_token", "apiToken", "reset_password_token", "csrf_token",
        "authenticity_token", "csrfmiddlewaretoken", "xsrfToken", "device_code", "auth_code",
        "authorization_code", "code_verifier", "oauth_verifier", "oauth_token", "oauth_signature",
        "api_key", "apiKey", "apikey", "x-api-key", "access_key", "secret_access_key",
        "private_key", "private_key_pem", "subscription-key", "AccountKey", "encryption_key",
        "session_id", "sessionId", "sessid", "PHPSESSID", "JSESSIONID", "sid", "jwt", "otp", "pin",
        "cvv", "SAMLResponse", "wresult", "client_assertion", "credentials", "authorization",
        "signature", "X-Amz-Signature", "passwords", "tokens", "secrets", "api_keys",
        "recovery_code", "two_factor_code", "passwort", "contraseña", "пароль",
    ]

    /// How compound names are written.
    enum Spelling: CaseIterable {
        case bare, bracket, dot, list, nested

        func name(_ name: String) -> String {
            switch self {
            case .bare: name
            case .bracket: "user[\(name)]"
            case .dot: "user.\(name)"
            case .list: "user[\(name)][]"
            case .nested: "user[\(name)][first]"
            }
        }
    }

    /// Credentials that tell without a name; `*` is where they differ.
    static let shapes = [
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.*", "ghp_16C7e42F292c6912E7710c83*",
        "github_pat_11ABCDEFG0123456789*", "glpat-20CharactersLong*", "AKIAIOSFODNN7EXAM*",
        "xoxb-123456789012-1234567890123-*", "sk_live_4eC39HqLyjWDarjtT1zdp7dc*",
        "sk-proj-abcdefghij0123456789*", "AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkF*",
        "ya29.a0AfH6SMBx0123456789abcdef*", "npm_abcdefghijklmnopqrstuvwx012345*",
        "hvs.CAESIJ0123456789abcdefgh*", "SG.ngeVfQFYQlKU0ufo8x5d1A.TwL2iGABf9DHoTf*",
        "Bearer AbC*", "Basic dXNlcjpw*",
    ]

    /// Places and spellings of their own; `*` is the credential.
    static let templates: [(SecretCase.Carrier, String)] = [
        // Escaped more than once, or in another way.
        (.query, "next=%252Flogin%253Ftoken%253D*"), (.query, "password%3D*"),
        (.query, "q=%7B%22password%22%3A%22*%22%7D"), (.query, "u=https%3A%2F%2Fme%3A*%40h.test"),
        (.query, "%2570assword=*"), (.query, "grant_type=authorization_code&code=*"),
        (.query, "access=Bearer+*"), (.form, "next=%25252F%25253Ftoken%25253D*"),
        (.form, "code=*&redirect_uri=x"), (.form, "a=%26password%3D*"), (.path, "/a%3Ftoken%3D*"),
        (.path, "/a;jsessionid=*"), (.path, "/reset-token/a1B2c3D4e5*"), (.path, "/a/password=*"),
        (.path, "/services/T01ABCDEFGH/B01ABCDEFGH/a1b2c3d4e5f6*"),
        (.header, "X-Data: %7B%22password%22%3A%22*%22%7D"), (.header, "X-Data: {\"token\":\"*\"}"),
        (.header, "X-Data: user=me; password=*"), (.header, "Link: <https://h.test/?token=*>"),
        (.header, "Referer: https://h.test/?password%3D*"), (.header, "Authorization: *"),
        (.header, "Authorization: Digest username=\"a\", response=\"*\""),
        (.header, "Proxy-Authorization: Basic *"), (.header, "X-Api-Key: *"),
        (.header, "Cf-Access-Jwt-Assertion: *"), (.header, "X-Goog-Iap-Jwt-Assertion: *"),
        (.header, "X-Amzn-Oidc-Data: *"), (.header, "Ocp-Apim-Subscription-Key: *"),
        (.header, "X-Forwarded-Access-Token: *"), (.header, "Cf-Access-Client-Secret: *"),
        (.header, "Sec-WebSocket-Protocol: bearer, *"),
        (.header, "Sec-WebSocket-Protocol: chat, access_token, *"),
        (.header, "Sec-WebSocket-Protocol: base64url.bearer.authorization.k8s.io.*"),
        (.cookie, "a=*; b=2"), (.cookie, "*"),
        // JSON.
        (.json, #"{"grant_type":"authorization_code","code":"*"}"#),
        (.json, #"[{"name":"token","content":"*"}]"#), (.json, #"{"id":"password","value":"*"}"#),
        (.json, #"{"value":"*","key":"DB_PASSWORD"}"#), (.json, #"["password","*"]"#),
        (.json, #"{"a":"password%3D*"}"#), (.json, #"{"a":"x?token%253D*"}"#),
        (.json, #"{"a":"{\"password\":\"*\"}"}"#), (.json, #"{"a":"&quot;token&quot;:&quot;*"}"#),
        (.json, #"{"p\u0061ssword":"*"}"#), (.json, #"{"credentials":{"a":"*"}}"#),
        (.json, #"{"tokens":["*"]}"#), (.json, #"{"a":"https:\/\/u:*@h.test"}"#),
        (.json, #"{"dsn":"u:*@tcp(h:3306)/db"}"#), (.json, #"{"token=*":1}"#),
        (.json, #"{"headers":[["Authorization","Bearer *"]]}"#), (.json, #"{"pin":["*"]}"#),
        (.json, #"{"a":"password:\n  *"}"#), (.json, #"{"a":"-u me --password *"}"#),
        // Text.
        (.text, "password:\n  *\n"), (.text, "password:\n*\n"), (.text, "token: |\n  a\n  *\nb: 1"),
        (.text, "secret: >-\n  *\nb: 1"), (.text, "password => \"*\""),
        (.text, "password := \"*\""),
        (.text, "x[\"password\"] = \"*\""), (.text, "password=(*"), (.text, "password=[*"),
        (.text, "password={*"), (.text, "password=<*"), (.text, "password=,*"),
        (.text, "password=\"\"*\""), (.text, "password = { a: '*' }"), (.text, "password=a;*"),
        (.text, "password='a''*'"), (.text, "password=b\"*\""), (.text, "//u:*@h.test/"),
        (.text, "u:*@tcp(h)/db"), (.text, #"https:\/\/u:*@h.test"#),
        (.text, "postgres://u:a/*@h/db"),
        (.text, "redis://:*@h.test:1"), (.text, "Authorization: Basic *"),
        (.text, "authorization=Basic *"), (.text, "Cookie: a=1; b=*"), (.text, "see Bearer *"),
        (.text, "curl -H 'X-Api-Key: *' h"), (.text, "mysql --password *"),
        (.text, #"{\"password\":\"a\\\"*\"}"#), (.text, "AccountName=a;AccountKey=*;b=c"),
        (.text, "-----BEGIN RSA PRIVATE KEY-----\nMIIE*\n-----END RSA PRIVATE KEY-----"),
        (.text, "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl*"),
        (.text, "bot123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PAL*"),
        (.script, "localStorage.setItem(\"token\",\"*\")"),
        (.script, "x = {\n  \"password\":\n    \"*\"\n}"),
        (.script, "xhr.setRequestHeader('X-Api-Key', '*')"),
        (.script, #"a='\u0022password\u0022:\u0022*'"#),
        (.script, "headers = [['Authorization', '*']]"), (.script, "const apiToken = `*`"),
        // Markup.
        (.markup, "<input name=\"password\" value=\"*\">"),
        (.markup, "<input value='*' type=password>"),
        (.markup, "<meta name=\"csrf-token\" content=\"*\" />"),
        (.markup, "<password>*</password>"),
        (.markup, "<soap:Password Type=\"x\">*</soap:Password>"),
        (.markup, "<password><![CDATA[*]]></password>"),
        (.markup, "<key>password</key>\n<string>*</string>"),
        (.markup, "<tr><td>DB_PASSWORD</td><td>*</td></tr>"),
        (.markup, "<a href='/?token=*'>x</a>"),
        (.markup, "<div data-token='*'></div>"), (.markup, "&lt;password&gt;*&lt;/password&gt;"),
        (.markup, "<p>&quot;password&quot;:&quot;*&quot;</p>"),
        (.markup, "<add key='apiKey' value='*'/>"),
        (.markup, "<script>var a = {token: '*'}</script>"),
        // Events.
        (.events, "event: token=*\ndata: {}\n\n"), (.events, "id: *\ndata: {}\n\n"),
        (.events, "data: {\"password\":\ndata: \"*\"}\n\n"), (.events, ": token=*\n\ndata: 1\n\n"),
        (.events, "data: password=*\n\n"), (.events, "retry: *\ndata: 1\n\n"),
        // Parts of a form.
        (.multipart, part("name=\"a\"", "password=*", type: "image/png")),
        (.multipart, part("name=\"a\"", "password=*", type: "text/css")),
        (.multipart, part("name=\"a\"; filename=\"token=*\"", "x")),
        (.multipart, part("name=\"pass\\word\"", "*")),
        (.multipart, part("name=\"pass%22word\"", "password=*")),
        (.multipart, "token=*\r\n" + part("name=\"a\"", "x")),
        (.multipart, part("name=\"a\"", "x") + "password=*\r\n"),
        (.multipart, part("name=\"a\"", "x", type: "text/plain\r\nAuthorization: Bearer *")),
        (.multipart, part("name=\"a\"", "{\"token\":\"*\"}", type: "application/json")),
        (
            .multipart,
            part("name=\"a\"", "AAAA*", type: "text/plain\r\nContent-Transfer-Encoding: base64")
        ),
        (.multipart, "[[[\r\n" + part("name=\"client_secret\"", "*")),
        (.text, "x-api-key:\n  *\n"), (.events, "password:\n  *\n\n"),
        // OAuth codes beside what accompanies them.
        (.header, "Location: /cb#code=*&state=x"), (.header, "Refresh: 0;url=/cb?code=*&state=x"),
        (.text, "GET /cb?code=*&state=y HTTP/1.1"),
        (.json, #"{"a":"https://h/cb?code=*&state=x"}"#),
        (.json, #"{"code":"*","state":"xyz"}"#), (.json, #"{"code":"*","redirectUri":"x"}"#),
        (.form, "code=*&client_secret=x"), (.markup, "<a href='/cb?code=*&amp;state=1'>x</a>"),
        // Code, configuration and logs.
        (.script, "a.db_password:\n  *\n  more"),
        (.script, "const password: string = \"*\""), (.text, "token += \"*\""),
        (.text, "password?: \"*\""), (.text, "password = os.environ.get(\"X\", \"*\")"),
        (.text, "token: e.token||\"*\""), (.text, "'set-cookie': [ 'a=1; Path=/', 'b=*' ]"),
        (.text, "API key: *"), (.text, "verification code: *"), (.text, "password: !!str *"),
        (.text, "password: | # comment\n  *\n"), (.text, "password:   # comment\n  *\n"),
        (.text, "password = '''*'''"), (.text, "- name: DB_PASSWORD\n  value: *\n"),
        (.text, "password=\u{1B}[31m*"), (.text, "\u{1B}[32mpassword\u{1B}[0m=*"),
        (.text, "password\u{FF1A}*"), (.text, "\u{201C}password\u{201D}: \u{201C}*\u{201D}"),
        (.text, "password\u{A0}: *"), (.json, #"{"args":["x","--password","*","y"]}"#),
        (.json, #"{"kty":"oct","k":"*"}"#),
        (.json, #"{"name":"DB_PASSWORD","value":"a\"b token=1 *"}"#),
        (.text, "client-key-data: *"), (.text, "SECRET_KEY_BASE=*"), (.json, #"{"cardCvc":"*"}"#),
        (.markup, "<string name=\"api_key\">*</string>"), (.header, "X-Original-Cookie: *"),
        (.header, "X-Registry-Auth: *"), (.header, "Sec-WebSocket-Protocol: token-*"),
        (.text, "docker:*@h.test:5000/x"), (.multipart, part("name=\"userpwd\"", "*")),
        // Messages.
        (.webSocket, "password=*"), (.webSocket, "42[\"login\",{\"token\":\"*\"}]"),
        (.webSocket, "*"),
    ]

    /// A multipart form with one part.
    static func part(_ disposition: String, _ content: String, type: String? = nil) -> String {
        "--b0undary\r\nContent-Disposition: form-data; \(disposition)\r\n"
            + (type.map { "Content-Type: \($0)\r\n" } ?? "") + "\r\n\(content)\r\n--b0undary--\r\n"
    }
}

/// Cases, each with a credential of its own, which says whose it is where it is found.
private struct NumberedCases {
    private(set) var all: [SecretCase] = []

    mutating func add(_ carrier: SecretCase.Carrier, _ template: String) {
        let secret = "k7Zq\(all.count)Wx9vB"
        all.append(
            SecretCase(carrier, template.replacing("*", with: secret), word: secret))
    }

    /// A name wherever it can be.
    mutating func add(_ name: String, _ spelling: SecretCorpus.Spelling) {
        let escaped = name.replacing("[", with: "%5B").replacing("]", with: "%5D")
        add(.query, "\(name)=*")
        add(.query, "\(escaped)=*")
        add(.form, "\(name)=*")
        add(.form, "a=1&\(escaped)=*")
        add(.multipart, SecretCorpus.part("name=\"\(name)\"", "*"))
        add(.json, "{\"a\":1,\"\(name)\":\"*\"}")
        add(.json, "{\"a\":{\"\(name)\":\"*\"},\"b\":\"x?\(name)=*\"}")
        add(.header, "X-Data: a=1&\(name)=*")
        add(.cookie, "\(name.filter(\.isASCII))=*")
        add(.path, ";\(escaped)=*/x")
        add(.events, "data: {\"\(name)\":\"*\"}\n\n")
        add(.events, "data: \(name)=*\n\n")
        add(.webSocket, "{\"\(name)\":\"*\"}")
        add(.text, "a \(name)=* b")
        add(.text, "\(name): *")
        add(.script, "x = {\"\(name)\": \"*\"}")
        add(.script, "f('\(name)', '*')")
        add(.markup, "<input name=\"\(name)\" value=\"*\">")
        if spelling == .bare, name.first?.isLetter == true { add(.markup, "<\(name)>*</\(name)>") }
        if spelling == .bare, name.allSatisfy(\.isASCII), !SecretCorpus.isPlural(name) {
            add(.header, "\(name): *")
            add(.header, "X-\(name): *")
        }
    }

    /// A credential under names that do not tell.
    mutating func add(shape: String) {
        let escaped = shape.replacing(" ", with: "%20")
        add(.query, "q=\(escaped)")
        add(.form, "q=\(escaped)")
        add(.multipart, SecretCorpus.part("name=\"q\"", shape))
        add(.json, "{\"q\":\"\(shape)\"}")
        add(.header, "X-Data: \(shape)")
        add(.path, "/\(escaped)")
        add(.events, "data: \(shape)\n\n")
        add(.webSocket, "{\"q\":\"\(shape)\"}")
        add(.text, "see \(shape) there")
        add(.script, "x = '\(shape)'")
        add(.markup, "<p>\(shape)</p>")
    }
}

extension SecretCorpus {
    /// Whether a name says only of texts that they are credentials.
    static func isPlural(_ name: String) -> Bool { name.hasSuffix("s") && name != "credentials" }
}

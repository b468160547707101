/// Names and texts that sound like credentials and are none: they must stay readable.
public enum LookAlikes {
    /// All cases: each name in queries, forms, JSON, fields and texts, then texts of their own.
    public static let all: [SecretCase] = {
        var cases: [SecretCase] = []
        for name in names {
            let word = "plain-\(cases.count)-word"
            cases += [
                SecretCase(.query, "\(name)=\(word)", word: word),
                SecretCase(.form, "\(name)=\(word)", word: word),
                SecretCase(.json, "{\"\(name)\":\"\(word)\"}", word: word),
                SecretCase(.header, "X-Data: \(name)=\(word)", word: word),
                SecretCase(.multipart, SecretCorpus.part("name=\"\(name)\"", word), word: word),
                SecretCase(.events, "data: {\"\(name)\":\"\(word)\"}\n\n", word: word),
                SecretCase(.webSocket, "{\"\(name)\":\"\(word)\"}", word: word),
                SecretCase(.text, "\(name): \(word)", word: word),
                SecretCase(.markup, "<input name=\"\(name)\" value=\"\(word)\">", word: word),
                SecretCase(.script, "x = {\(name): '\(word)'}", word: word),
            ]
        }
        for (carrier, text, word) in texts {
            cases.append(SecretCase(carrier, text, word: word))
        }
        return cases
    }()

    static let names = [
        "recaptcha", "g-recaptcha-response", "card", "card_number", "cardholder", "tokenize",
        "tokenizer", "tokenized", "token_type", "token_count", "token_usage", "keyboard", "key",
        "keys", "keyword", "primary_key", "sort_key", "public_key", "cache_key", "hotkey", "monkey",
        "passenger", "passengers", "passage", "passport", "passive", "bypass", "compass",
        "boarding_pass", "season_pass", "first_pass", "passed", "password_policy",
        "password_updated_at", "passwordless", "password_strength", "password_length", "author",
        "authors", "authority", "authored_by", "authenticated", "authentication_method",
        "authorized_at", "auth_type", "auth_method", "oauth_provider", "secretary",
        "secretariat", "secret_name_length", "sessions", "session_count", "session_duration",
        "sessionStart", "sidebar", "inside", "side", "residence", "signal", "signature_version",
        "email_signature", "design", "assigned", "sign_in_count", "pinned", "pinterest", "spin",
        "shipping", "pincode", "map_pin", "otpauth_label", "option", "code", "country_code",
        "zip_code", "postcode", "promo_code", "status_code", "error_code", "codec", "state",
        "nonce", "hash", "salty", "credit", "credits", "accredited", "credential_type",
        "cookies_ok",
        "cookie_policy", "cookie_consent", "certificate", "cert_subject", "user", "username",
        "user_id", "login", "email", "name", "id", "tickets", "ticket_id", "client_id",
        "tenant", "scope", "grant", "bearing", "forbearance", "basic_plan", "privateer", "private",
        "access", "accessory", "accessible", "apiVersion", "api_keyboard", "hmm", "csrfish",
    ]

    static let texts: [(SecretCase.Carrier, String, String)] = [
        (.json, #"{"max_tokens":4096,"total_tokens":5,"tokens":[1,2,3]}"#, "4096"),
        (.json, #"{"token":null,"password":true,"secret":"","b":"word"}"#, "true"),
        (.json, #"{"code":404,"state":"open"}"#, "404"),
        (.json, #"{"ticket":"ABC-123"}"#, "ABC-123"),
        (.json, #"{"message":"your password is too short"}"#, "too short"),
        (.json, #"{"name":"author","value":"Ann Lee"}"#, "Ann Lee"),
        (.json, #"{"url":"https://h.test:8080/a@b"}"#, "8080"),
        (.json, #"{"cert":"-----BEGIN CERTIFICATE-----\nMIIB"}"#, "MIIB"),
        (.json, #"["one","two"]"#, "two"),
        (.json, #"{"a":"50% off & more \\ less"}"#, "off & more"),
        (.text, "max_tokens: 512", "512"), (.text, "passwords are bad", "are bad"),
        (.text, "a token of thanks", "of thanks"), (.text, "mail bob@example.test now", "bob@"),
        (.text, "http://h.test:80/a@b", ":80/a@b"),
        (.text, "git@github.com:me/repo.git", "me/repo"),
        (.text, "10:30 standup @ room 5", "standup"), (.text, "npm:react@18.2/x", "react@18"),
        (.text, "image repo:tag@sha256:00ff", "00ff"), (.text, "password: null", "null"),
        (.text, "Unexpected token < in JSON at position 0", "in JSON"),
        (.text, "BasicConfig basic usage", "usage"), (.text, "token:\nnext: 5", "5"),
        (.text, "eyJust.a.word", "eyJust.a.word"),
        (.text, "sk-toggleable__content--open", "content"),
        (.markup, "<label>Password:</label> <input name=x>", "</label> <input"),
        (.markup, "<h1>Reset your password</h1><p>Welcome</p>", "Welcome"),
        (.markup, "<td>Name</td><td>Ann</td>", "Ann"),
        (.script, "var author = 'Ann Lee'", "Ann Lee"),
        (.events, "event: message\nid: 42\nretry: 1000\ndata: {\"a\":1}\n\n", "42"),
        (.events, "id: 0e37df36-f698-11e6-8dd4-cb9ced3df976\ndata: x\n\n", "0e37df36"),
        (.header, "WWW-Authenticate: Bearer realm=\"shop77\", error=\"invalid99\"", "invalid99"),
        (.header, "WWW-Authenticate: Bearer realm=\"shop77\"", "shop77"),
        (.json, #"{"paths":{"/oauth/token":{"post":"create77"}}}"#, "create77"),
        (.json, #"{"schemas":{"Token":{"type":"object","title":"Tok77"}}}"#, "Tok77"),
        (.json, #"{"password":{"type":"string","title":"Pass77"}}"#, "Pass77"),
        (.json, #"{"required":["password","email"]}"#, "email"),
        (.json, #"{"auth.login.title":"Sign77"}"#, "Sign77"),
        (.json, #"{"auth.js":"auth77"}"#, "auth77"),
        (.json, #"{"session":{"title":"Key77"}}"#, "Key77"),
        (.json, #"{"eos_token":"</s77>"}"#, "</s77>"),
        (.text, "auth.go:1234: failed", "1234"), (.text, "POST /v1/token:batchGet", "batchGet"),
        (.text, "/oauth/token:\n  post: create77", "create77"), (.text, "Pass: 12, Fail: 3", "12"),
        (.text, "Bearer authentication is required", "authentication"),
        (.text, "password = ${DB_PASSWORD}", "${DB_PASSWORD}"), (.text, "token: $TOKEN", "$TOKEN"),
        (.text, "The cookie: a story of Christmas", "Christmas"),
        (.text, "https://localhost:PORT/@vite/client", "PORT"),
        (.text, "npm_config_registry_setting_of_something_1", "something_1"),
        (.text, "sk-button-primary-large-outlined-v2", "outlined-v2"),
        (.script, "let token=tokens[i++];if(a.type===\"a77\"){b()}", "a77"),
        (.script, "a={auth:{x:1,y:\"word77\"}}", "word77"),
        (.script, "if(\"password\"===e.type)a77()", "a77()"),
        (.script, "var a={token:b.parse(c)},d77=1", "d77"),
        (.path, "/tokenize/keyboard", "tokenize/keyboard"),
        (.path, "/api/token/refresh", "refresh"),
        (.path, "/users/ann@h.test", "ann@h.test"),
        (.header, "Access-Control-Allow-Credentials: true", "true"),
        (.header, "Sec-WebSocket-Key: dGhlIHNhbXBsZQ==", "dGhlIHNhbXBsZQ"),
        (.header, "Sec-WebSocket-Protocol: graphql-ws, chat.v2", "chat.v2"),
        (.header, "Idempotency-Key: 8e03978e", "8e03978e"),
        (.header, "WWW-Authenticate: Bearer realm=shop77", "shop77"),
        (.header, "X-Author: Ann", "Ann"),
        (
            .multipart, SecretCorpus.part("name=\"a\"; filename=\"report.pdf\"", "word"),
            "report.pdf"
        ),
    ]
}

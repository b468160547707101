import ProxydHTTPModel
import ProxydRedaction
import ProxydTestSupport
import Testing

/// A credential among anything, and anything without one.
struct PlantedSecretTests {
    private static let secret = "k7Zq5Wx9vB"
    private static let names = [
        "password", "user[api_token]", "accessToken", "X-Api-Key", "a.db_password", "sessionId",
    ]
    /// What syntaxes are made of, and what starts a value that may swallow what follows.
    private static let pieces = [
        "password", "token", "a", "=", ":", "\"", "'", "`", "\\", "<", ">", "</", "<![CDATA[",
        "]]>", "//", "u:", "@", "%", "%22", "%5C", "&quot;", "\\u0022", " ", "\n", "  ", "Bearer ",
        "Basic ", "[", "]", "{", "}", "(", ")", "&", ",", ";", "|", ">-", "?", "--password ",
        "-----BEGIN RSA PRIVATE KEY-----", "eyJ", "<input name=", "value=", "<key>", "data: ",
        "\r\n", "é", "\u{0}", "\u{1B}$B", "tokens", "[[", "=>", ":=", "==", "null", "5",
    ]

    private static func noise(_ random: inout SplitMix) -> String {
        (0..<Int.random(in: 0..<10, using: &random)).map { _ in pieces.pick(&random) }.joined()
    }

    private static func shown(_ body: String, _ type: String) -> String {
        let fields = HeaderFields([("Content-Type", type)])
        return Redaction().body(Array(body.utf8), fields: fields)
            .map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    @Test(arguments: [
        "text/plain", "text/html", "text/javascript", "application/xml", "text/css",
        "text/event-stream", "image/png", "text/x-unknown",
    ])
    func `a credential on a line of its own is redacted, whatever surrounds it`(type: String) {
        var random = SplitMix(seed: 11)
        let separators = ["=", ": ", " = ", "=\"", ": '", " => \"", "\":\""]
        for _ in 0..<4_000 {
            let before = PlantedSecretTests.noise(&random)
            let after = PlantedSecretTests.noise(&random)
            let pair = PlantedSecretTests.names.pick(&random) + separators.pick(&random)
            let body = before + "\n" + pair + PlantedSecretTests.secret + "\n" + after
            let shown = PlantedSecretTests.shown(body, type)
            #expect(!shown.contains(PlantedSecretTests.secret), "\(body.debugDescription)")
        }
    }

    @Test func `a credential in a form body is redacted, whatever precedes it`() {
        var random = SplitMix(seed: 12)
        for _ in 0..<4_000 {
            let before = PlantedSecretTests.noise(&random)
            let name = PlantedSecretTests.names.pick(&random)
            let body = "\(before)&\(name)=\(PlantedSecretTests.secret)&a=1"
            let shown = PlantedSecretTests.shown(body, "application/x-www-form-urlencoded")
            #expect(!shown.contains(PlantedSecretTests.secret), "\(body.debugDescription)")
        }
    }

    @Test
    func `redaction does not change text without credential names, however the words are combined`()
    {
        var random = SplitMix(seed: 13)
        let words = [
            "author", "keyboard", "card", "a", "Ann", "42", "=", ":", " ", "\n", "\"", "'", "{",
            "}", "[", "]", "(", ")", "<b>", "</b>", "&", ",", ";", "?", "/", "%20", "&amp;", "\\n",
            "recaptcha", "tokenize", "passenger", "design", "é", "true", "null",
        ]
        for type in ["text/plain", "text/html", "text/javascript"] {
            for _ in 0..<4_000 {
                let body = (0..<20).map { _ in words.pick(&random) }.joined()
                #expect(PlantedSecretTests.shown(body, type) == body)
            }
        }
    }

    @Test func `redacting a text a second time adds nothing but placeholders`() {
        var random = SplitMix(seed: 14)
        for type in ["text/plain", "text/html", "text/event-stream"] {
            for _ in 0..<2_000 {
                let body = PlantedSecretTests.noise(&random) + PlantedSecretTests.noise(&random)
                let once = PlantedSecretTests.shown(body, type)
                guard !once.isEmpty else { continue }
                let twice = PlantedSecretTests.shown(once, type)
                #expect(twice.replacing("REDACTED", with: "").count <= once.count)
            }
        }
    }

    @Test func `redaction finishes on texts of 32 KiB that repeat an adversarial fragment`() {
        let units = [
            "password=(", "pin:", "//a:b", "<key>", "password:\n", "\"token\"", "%25", "\\",
            "&#61;",
            "u:p@", "eyJ", "<password>", "-----BEGIN RSA PRIVATE KEY-----", "tokens=\"", "basic ",
            "ticket:(", "[\"token\",", "[", "user[", "sk-", "eyJ-", "AKIA-", "<ticket>", "ticket=",
            "code=", "-",
            "u:p@h/", "<key>ticket</key>", "token?", "Bearer ", "a=1&", "password: |\n ",
            "<input name=",
        ]
        for unit in units {
            let body = String(repeating: unit, count: 1 << 15 / unit.utf8.count)
            _ = PlantedSecretTests.shown(body, "text/plain")
            _ = PlantedSecretTests.shown(body, "text/html")
        }
    }
}

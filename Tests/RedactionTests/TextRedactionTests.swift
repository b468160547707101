import ProxydHTTPModel
import ProxydRedaction
import ProxydTestSupport
import Testing

/// Credentials in texts of any syntax.
struct TextRedactionTests {
    private static let redactor = Redaction()

    /// Texts in each of which `*` is a credential.
    private static let templates = [
        "password=*", "password = *", "PASSWORD: *", "my_api-key=*", "x?token=*&a=b",
        #"{"password":"*"}"#, #"{"password" : "*", "a": 1}"#, #"{\"password\":\"*\"}"#,
        #"{"a":"{\"token\":\"*\"}"}"#, "{'password': '*'}", "<password>*</password>",
        "<soap:Password>*</soap:Password>", "<password a='1'>*</password>", "Bearer *",
        "bearer\t*", "Authorization: Basic *", "authorization: Bearer *, more", "http://*@a.test/",
        "https://me:*@a.test/p?q", "postgres://u:*@h/db and more", "curl -u x --password=* y",
        "user[password]=*", "login.token=*", "access%5Ftoken=*", "secret=\"*\"", "secret='*'",
        "Set-Cookie: sid=*; Path=/", "password:\n*", "session=*; b=1", "jwt = *)",
        "mutation { login(password: \"*\") }", #"password: """*""""#,
    ]

    @Test(arguments: templates)
    func `a credential in text of any common syntax is redacted, and the text before it is kept`(
        template: String
    ) {
        var random = SplitMix(seed: 5)
        let letters = Array("abcXYZ0189_-.")
        for _ in 0..<20 {
            let secret = "s3" + String((0..<12).map { _ in letters.pick(&random) })
            let text = "before " + template.replacing("*", with: secret) + " after"
            let redacted = TextRedactionTests.redactor.text(text)
            #expect(!redacted.contains(secret), "\(redacted)")
            #expect(redacted.hasPrefix("before "))
        }
    }

    @Test(arguments: [
        "", "a", "=", ":", "<", ">", "<>", "</password>", "password", "password=", "password= ",
        "password=&a=b", "token: ", "<password/>", "<password></password>", "<password",
        "max_tokens=5", "tokens: 7", "a token of thanks", "Bearer", "bearer ", "http://a.test/",
        "see a@b.test", "://@", "x://y", "passwords are bad", "<a>password</a>", "the pin is long",
        #"{"password":""}"#, #"{"password":null,"a":1}"#.replacing("null", with: #""""#),
    ])
    func `redaction does not change text without a credential`(text: String) {
        #expect(TextRedactionTests.redactor.text(text) == text)
    }

    @Test func `redacting a text twice gives the same result as redacting it once`() {
        for template in TextRedactionTests.templates {
            let once = TextRedactionTests.redactor.text(template.replacing("*", with: "s3cr3t"))
            #expect(TextRedactionTests.redactor.text(once) == once)
        }
    }

    @Test func `redaction of random text adds nothing but the placeholder`() {
        var random = SplitMix(seed: 9)
        let pieces = [
            "password", "=", ":", "\"", "'", "\\", "<", ">", "</", "<![CDATA[", "]]>", "://", "@",
            "%", "%5F", " ", "\n", "Bearer ", "[", "]", "{", "}", "&", "s3cr3t", "é", "\"\"\"",
        ]
        for _ in 0..<3_000 {
            let text = (0..<12).map { _ in pieces.pick(&random) }.joined()
            let once = TextRedactionTests.redactor.text(text)
            // Only what is hidden changes: nothing is added but the placeholder.
            let rest = once.replacing("REDACTED", with: "")
            #expect(rest.utf8.count <= text.utf8.count)
        }
    }

    @Test func `field values with incomplete UTF-8 sequences pass through redaction unchanged`() {
        let redaction = Redaction()
        for first in [0xC2, 0xE2, 0xEF] as [UInt8] {
            for second in 0...255 as ClosedRange<UInt8> {
                let values = (0...255 as ClosedRange<UInt8>).map { [first, second, $0, 0x2C] }
                let bytes = Array(values.joined())
                #expect(redaction.value(bytes, ofField: "X-Data") == bytes)
            }
        }
    }

    @Test func `a credential after bytes that are not valid UTF-8 is redacted`() {
        let name: [UInt8] = [0xDD, 0xDD] + Array("DB_PASS=".utf8)
        let shown = Redaction().value(name + Array("s3cr3t".utf8), ofField: "X-Data")
        #expect(shown == name + Array("REDACTED".utf8))
        // Lower-case letters of other alphabets may take more bytes.
        let long = String(repeating: "\u{130}", count: 20) + "DB_PASS="
        #expect(TextRedactionTests.redactor.text(long + "s3cr3t") == long + "REDACTED")
    }

    @Test func `an unterminated secret element or string is redacted to the end of the text`() {
        let text = "<password><![CDATA[" + String(repeating: "s3cr3t", count: 1_000)
        #expect(TextRedactionTests.redactor.text(text) == "<password>REDACTED")
        let quoted = #"{"password":"s3cr3t\""#
        #expect(TextRedactionTests.redactor.text(quoted) == #"{"password":"REDACTED"#)
    }

    @Test func `a value is redacted if its name ends in _password, however long the name is`() {
        for count in [100, 200, 100_000] {
            let name = String(repeating: "a", count: count) + "_password"
            #expect(TextRedactionTests.redactor.text("\(name)=x") == "\(name)=REDACTED")
        }
    }

    @Test func `values of user-defined secret names are redacted in every spelling of the name`() {
        let redactor = Redaction(addingFields: ["X-Member"], parameters: ["member_no"])
        for text in ["memberNo=5", "member-no: 5", "MEMBER_NO='5'", "<member_no>5</member_no>"] {
            #expect(!redactor.text(text).contains("5"), "\(text)")
        }
        #expect(redactor.text("x-member: a b") == "x-member: REDACTED")
        #expect(redactor.text("number=5") == "number=5")
    }
}

/// Messages of WebSockets, events and calls without their credentials.
struct MessageRedactionTests {
    private let redactor = MessageRedactor(Redaction())

    private func change(
        _ text: String, _ kind: MessageRecord.Kind, isWhole: Bool = true
    ) -> MessageRedactor.Change {
        redactor.change(Array(text.utf8), kind, isWhole: isWhole)
    }

    private func replaced(_ text: String) -> MessageRedactor.Change {
        .replaced(Array(text.utf8))
    }

    @Test
    func `redaction keeps complete JSON messages and removes the content of all other messages`() {
        #expect(change(#"{"a":1}"#, .text) == .unchanged)
        #expect(change(#"{"token":"x"}"#, .text) == replaced(#"{"token":"REDACTED"}"#))
        #expect(change(#"{"a":1}"#, .text, isWhole: false) == .leftOut([]))
        #expect(change("hello", .text) == .leftOut([]))
        #expect(change(#"{"a":1} {"#, .text) == .leftOut([]))
        #expect(change("", .text) == .unchanged)
        let others: [MessageRecord.Kind] = [
            .binary, .ping, .pong, .grpc, .trailers, .comment, .invalid,
        ]
        for kind in others {
            #expect(change(#"{"a":1}"#, kind) == .leftOut([]))
            #expect(change("", kind) == .unchanged)
        }
    }

    @Test func `redaction keeps the code of a WebSocket close frame and removes its reason`() {
        #expect(redactor.change([3, 232], .close, isWhole: true) == .unchanged)
        #expect(redactor.change([3], .close, isWhole: true) == .unchanged)
        #expect(
            redactor.change([3, 232] + Array("token=x".utf8), .close, isWhole: true)
                == .leftOut([3, 232]))
    }

    @Test(arguments: ["\n", "\r\n", "\r"])
    func `redaction keeps the name, id and JSON data of a server-sent event`(end: String) {
        func event(_ lines: String...) -> String { lines.map { $0 + end }.joined() }
        let plain = event("event: add", "id: 5", "retry: 10", #"data: {"a":1}"#, "")
        #expect(change(plain, .event) == .unchanged)
        #expect(
            change(event("event: add", #"data:{"token":"x"}"#, ""), .event)
                == replaced(event("event: add", #"data: {"token":"REDACTED"}"#, "")))
        // Comments and fields that mean nothing may hold anything.
        #expect(
            change(event(": token=x", "other: x", #"data: {"a":1}"#, ""), .event)
                == .leftOut(Array(event(#"data: {"a":1}"#, "").utf8)))
        #expect(change(event("data: hello", ""), .event) == .leftOut([]))
        #expect(change(plain, .event, isWhole: false) == .leftOut([]))
    }

    @Test func `redaction does not change a server-sent event with empty data`() {
        for text in ["data:\n\n", "event: ping\ndata:\n\n", "data\n\n", "data: \nid: 1\n\n"] {
            #expect(change(text, .event) == .unchanged, "\(text)")
        }
    }
}

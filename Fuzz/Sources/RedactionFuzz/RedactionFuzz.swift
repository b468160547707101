internal import FuzzSupport
internal import ProxydHTTPModel
internal import ProxydRedaction

/// A credential planted among any bytes never survives, and harmless words are not touched. The
/// input's first byte is the kind of body, the second the name, the third the separator and how
/// often the pair is escaped; the rest, up to a zero, precedes the credential, and follows it.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let kind = Int(input.choice()) % Planting.types.count
    let name = Planting.names[Int(input.choice()) % Planting.names.count]
    let style = Int(input.choice())
    let rest = Array(input.rest)
    let halves = rest.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
    let planting = Planting(
        before: Array(halves.first ?? []), after: Array(halves.count > 1 ? halves[1] : []),
        name: name, style: style)
    planting.check(type: Planting.types[kind])
    checkHarmless(rest, type: Planting.types[kind])
    return 0
}

/// Where a credential is planted.
private struct Planting {
    static let types = [
        "text/plain", "text/html", "text/javascript", "application/xml", "text/event-stream",
        "image/png", "application/x-www-form-urlencoded", "application/json",
        "multipart/form-data; boundary=b0undary",
    ]
    static let names = [
        "password", "user[api_token]", "accessToken", "x-api-key", "a.db_password", "sessionId",
        "DB_PASS", "form[plainPassword][first]", "client_secret",
    ]
    private static let separators = ["=", ": ", " = ", "=\"", ": '", " => \"", ":\n  "]
    private static let secret = Array("k7Zq5Wx9vB".utf8)

    let before: [UInt8]
    let after: [UInt8]
    let name: String
    let style: Int

    func check(type: String) {
        // The fuzzer learns the word, and may then write it anywhere.
        guard !contains(before + [0] + after) else { return }
        let fields = HeaderFields([("Content-Type", type)])
        guard let shown = Redaction().body(body(type), fields: fields) else { return }
        require(!contains(shown), "a credential survives")
        let again = Redaction().body(shown, fields: fields)
        require(again.map { !contains($0) } ?? true, "a credential comes back")
    }

    private func contains(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= Planting.secret.count else { return false }
        return (0...bytes.count - Planting.secret.count).contains {
            bytes[$0] == Planting.secret[0]
                && bytes[$0..<$0 + Planting.secret.count].elementsEqual(Planting.secret)
        }
    }

    private func body(_ type: String) -> [UInt8] {
        let newline: [UInt8] = [0x0A]
        switch type {
        case "application/x-www-form-urlencoded":
            return Array("x".utf8) + before + Array("&\(name)=".utf8) + Planting.secret
                + Array("&".utf8) + after
        case "application/json":
            let text =
                "[\(quoted(before)),{\(quoted(Array(name.utf8))):\"k7Zq5Wx9vB\"},\(quoted(after))]"
            return Array(text.utf8)
        case let type where type.hasPrefix("multipart"):
            let head = "--b0undary\r\nContent-Disposition: form-data; name="
            return before + Array("\r\n\(head)\"\(name)\"\r\n\r\n".utf8) + Planting.secret
                + Array("\r\n\(head)\"a\"\r\n\r\n".utf8) + after
                + Array("\r\n--b0undary--\r\n".utf8)
        default:
            let separator = Planting.separators[style % Planting.separators.count]
            var pair = Array((name + separator).utf8) + Planting.secret
            for _ in 0..<style / Planting.separators.count % 3 { pair = escaped(pair) }
            // No medium begins like this: what is in those is not searched.
            return Array("x".utf8) + before + newline + pair + newline + after
        }
    }

    private func escaped(_ bytes: [UInt8]) -> [UInt8] {
        bytes.flatMap { byte -> [UInt8] in
            let isPlain = (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10
            let digits = String(byte, radix: 16)
            return isPlain ? [byte] : Array((byte < 16 ? "%0" : "%").utf8) + Array(digits.utf8)
        }
    }

    private func quoted(_ bytes: [UInt8]) -> String {
        let text = String(decoding: bytes, as: UTF8.self).unicodeScalars.map { scalar in
            switch scalar {
            case "\"": "\\\""
            case "\\": "\\\\"
            case _ where scalar.value < 0x20:
                "\\u00" + (scalar.value < 16 ? "0" : "")
                    + String(scalar.value, radix: 16)
            default: String(scalar)
            }
        }
        return "\"" + text.joined() + "\""
    }
}

/// Each byte chooses a word that tells nothing: together they are a text without credentials.
private func checkHarmless(_ choices: [UInt8], type: String) {
    let words = [
        "author", "keyboard", "card", "a", "Ann", "42", "=", ":", " ", "\n", "\"", "'", "{", "}",
        "[", "]", "(", ")", "<b>", "</b>", "&", ",", ";", "?", "/", "%20", "&amp;", "\\n", "design",
        "recaptcha", "tokenize", "passenger", "é", "true", "null", "monkey", "x-cache-key",
    ]
    guard type.hasPrefix("text/"), type != "text/event-stream" else { return }
    let text = choices.prefix(4_096).map { words[Int($0) % words.count] }.joined()
    let fields = HeaderFields([("Content-Type", type)])
    let shown = Redaction().body(Array(text.utf8), fields: fields)
    require(shown.map { $0.elementsEqual(text.utf8) } ?? false, "a text without one is changed")
}

internal import ProxydCurlCommand
public import ProxydHTTPModel
internal import ProxydParameterCoding

/// A request as code that sends it again.
public enum RequestSnippet: String, Sendable, CaseIterable {
    case curl
    case fetch
    /// Python that uses the package requests.
    case python
    /// Swift that uses ClientLib.
    case swift

    /// Fields that browsers do not let scripts set (Fetch, "forbidden request-header").
    private static let forbiddenToScripts: Set<String> = [
        "cookie", "origin", "referer", "user-agent", "date", "dnt", "expect", "via",
    ]

    /// Returns the code, or nil if the request could not be parsed or is a tunnel.
    public func text(of request: Request) -> String? {
        guard let head = request.head, let url = request.url, !head.isClassicConnect else {
            return nil
        }
        let parts = SnippetParts(
            method: head.method.rawValue, url: "\(url)", fields: fields(head.fields),
            body: request.body.kept, notes: notes(request.body))
        switch self {
        case .curl:
            return CurlCommand(request, options: CurlOptions(redaction: nil)).map { command in
                CurlWriter.notSent(command) + command.text(.multiLine)
            }
        case .fetch: return FetchSnippet.text(parts)
        case .python: return PythonSnippet.text(parts)
        case .swift: return SwiftSnippet.text(parts)
        }
    }

    private func notes(_ body: Body) -> [String] {
        guard body.isTruncated else { return [] }
        return ["only \(body.kept.count) of \(body.byteCount) bytes of the body were captured"]
    }

    private func fields(_ fields: HeaderFields) -> [(name: String, value: String)] {
        fields.pairs.filter { field in
            let name = field.name.lowercased()
            if SnippetFields.framing.contains(name) || name == "accept-encoding"
                || name.hasPrefix(":")
            {
                return false
            }
            guard self == .fetch else { return true }
            return !RequestSnippet.forbiddenToScripts.contains(name)
                && !name.hasPrefix("sec-") && !name.hasPrefix("proxy-")
        }
    }
}

struct SnippetParts {
    let method: String
    let url: String
    let fields: [(name: String, value: String)]
    let body: [UInt8]
    /// Remarks for the reader, without comment signs or captured text.
    let notes: [String]

    /// The body as text, or nil if it is empty or not UTF-8.
    var text: String? { body.isEmpty ? nil : String(validating: body, as: UTF8.self) }
}

enum FetchSnippet {
    static func text(_ parts: SnippetParts) -> String {
        // Fetch refuses a request with a body before it sends it.
        let isWithoutBody = ["GET", "HEAD"].contains(parts.method.uppercased())
        var lines = parts.notes.map { "// " + $0 }
        if isWithoutBody, !parts.body.isEmpty {
            lines.append("// fetch sends no body with GET or HEAD")
        }
        lines.append("await fetch(\(SnippetLiteral.javaScript(parts.url)), {")
        lines.append("  method: \(SnippetLiteral.javaScript(parts.method)),")
        if !parts.fields.isEmpty {
            lines.append("  headers: [")
            for field in parts.fields {
                let texts = [field.name, field.value].map(SnippetLiteral.javaScript)
                lines.append("    [\(texts.joined(separator: ", "))],")
            }
            lines.append("  ],")
        }
        if !isWithoutBody { lines += body(parts) }
        return (lines + ["});"]).joined(separator: "\n")
    }

    private static func body(_ parts: SnippetParts) -> [String] {
        if let text = parts.text { return ["  body: \(SnippetLiteral.javaScript(text)),"] }
        guard !parts.body.isEmpty else { return [] }
        let base64 = SnippetLiteral.javaScript(Base64.text(parts.body))
        return ["  body: Uint8Array.from(atob(\(base64)), (c) => c.charCodeAt(0)),"]
    }
}

enum PythonSnippet {
    static func text(_ parts: SnippetParts) -> String {
        var lines = ["import requests", ""]
        lines.append("response = requests.request(")
        lines.append("    \(literal(parts.method)),")
        lines.append("    \(literal(parts.url)),")
        let (fields, repeated) = SnippetFields.joined(parts.fields)
        if !fields.isEmpty {
            lines.append("    headers={")
            for field in fields {
                lines.append("        \(literal(field.name)): \(literal(field.value)),")
            }
            lines.append("    },")
        }
        if !parts.body.isEmpty { lines.append("    data=\(bytes(parts.body)),") }
        lines += ["    allow_redirects=False,", ")"]
        let notes =
            parts.notes
            + repeated.map { "requests joins repeated fields into one line: \(literal($0))" }
        lines.append("print(response.status_code)")
        return (notes.map { "# " + $0 } + lines).joined(separator: "\n")
    }

    private static func literal(_ text: String) -> String {
        SnippetLiteral.quoted(text) { scalar in
            scalar.value > 0xFFFF
                ? "\\U" + SnippetLiteral.hex(scalar.value, 8)
                : "\\u" + SnippetLiteral.hex(scalar.value, 4)
        }
    }

    private static func bytes(_ bytes: [UInt8]) -> String {
        let text = String(String.UnicodeScalarView(bytes.map { UnicodeScalar($0) }))
        return "b" + SnippetLiteral.quoted(text) { "\\x" + SnippetLiteral.hex($0.value, 2) }
    }
}

enum SwiftSnippet {
    static func text(_ parts: SnippetParts) -> String {
        var lines = parts.notes.map { "// " + $0 }
        lines += ["import ClientLib", "import Foundation", "", "let session = Session()"]
        lines.append("var request = HTTPRequest(")
        lines.append("    method: HTTPMethod(rawValue: \(literal(parts.method))),")
        lines.append("    url: \(literal(parts.url)))")
        for field in parts.fields {
            let pair = "name: \(literal(field.name)), value: \(literal(field.value))"
            lines.append("request.fields.append(\(pair))")
        }
        if let text = parts.text {
            lines.append("request.body = .bytes(Array(\(literal(text)).utf8))")
        } else if !parts.body.isEmpty {
            let base64 = literal(Base64.text(parts.body))
            lines.append("request.body = .bytes(Array(Data(base64Encoded: \(base64))!))")
        }
        lines.append("let response = await session.request(request).serializingData().response")
        lines.append("print(response.response?.status ?? 0)")
        return lines.joined(separator: "\n")
    }

    private static func literal(_ text: String) -> String {
        SnippetLiteral.quoted(text) { "\\u{\(SnippetLiteral.hex($0.value, 1))}" }
    }
}

enum SnippetFields {
    /// Fields that the sending program writes itself.
    static let framing: Set<String> = [
        "host", "content-length", "transfer-encoding", "connection", "proxy-connection",
        "keep-alive", "te", "upgrade",
    ]

    /// The fields with repeated names joined, for code with one value per name; and those names.
    static func joined(
        _ fields: [(name: String, value: String)]
    ) -> (fields: [(name: String, value: String)], repeated: [String]) {
        var result: [(name: String, value: String)] = []
        var repeated: [String] = []
        for field in fields {
            let name = field.name.lowercased()
            guard let index = result.firstIndex(where: { $0.name.lowercased() == name }) else {
                result.append(field)
                continue
            }
            result[index].value += (name == "cookie" ? "; " : ", ") + field.value
            if !repeated.contains(name) { repeated.append(name) }
        }
        return (result, repeated)
    }
}

/// String literals of programming languages, for any text.
enum SnippetLiteral {
    /// A literal in double quotes for JavaScript, Python or Swift. Everything but printable ASCII
    /// is escaped, so that no character can end the literal or mislead a reader.
    /// - Parameter escape: Writes a character that is not printable ASCII.
    static func quoted(_ text: String, escape: (UnicodeScalar) -> String) -> String {
        var literal = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": literal += "\\\""
            case "\\": literal += "\\\\"
            case "\n": literal += "\\n"
            case "\r": literal += "\\r"
            case "\t": literal += "\\t"
            case " "..."~": literal.unicodeScalars.append(scalar)
            default: literal += escape(scalar)
            }
        }
        return literal + "\""
    }

    static func javaScript(_ text: String) -> String {
        quoted(text) { scalar in
            String(scalar).utf16.map { "\\u" + hex($0, 4) }.joined()
        }
    }

    /// A number in hexadecimal with a minimum number of digits.
    static func hex(_ value: some BinaryInteger, _ digitCount: Int) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: max(0, digitCount - digits.count)) + digits
    }
}

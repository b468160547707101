internal import ProxydParameterCoding

/// A request as Swift that uses ClientLib.
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

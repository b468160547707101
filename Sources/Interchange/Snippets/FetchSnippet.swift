internal import ProxydParameterCoding

/// A request as JavaScript.
enum FetchSnippet {
    static func text(_ parts: SnippetParts) -> String {
        // Fetch refuses a request with a body before it sends it.
        let isWithoutBody = ["GET", "HEAD"].contains(parts.method.uppercased())
        var lines = parts.notes.map { "// " + $0 }
        if isWithoutBody, !parts.body.isEmpty {
            lines.append("// fetch sends no body with GET or HEAD")
        }
        lines.append("await fetch(\(literal(parts.url)), {")
        lines.append("  method: \(literal(parts.method)),")
        if !parts.fields.isEmpty {
            lines.append("  headers: [")
            for field in parts.fields {
                lines.append("    [\(literal(field.name)), \(literal(field.value))],")
            }
            lines.append("  ],")
        }
        if !isWithoutBody { lines += body(parts) }
        return (lines + ["});"]).joined(separator: "\n")
    }

    private static func body(_ parts: SnippetParts) -> [String] {
        if let text = parts.text { return ["  body: \(literal(text)),"] }
        guard !parts.body.isEmpty else { return [] }
        let base64 = literal(Base64.text(parts.body))
        return ["  body: Uint8Array.from(atob(\(base64)), (c) => c.charCodeAt(0)),"]
    }

    private static func literal(_ text: String) -> String {
        SnippetLiteral.quoted(text) { scalar in
            String(scalar).utf16.map { "\\u" + SnippetLiteral.hex($0, 4) }.joined()
        }
    }
}

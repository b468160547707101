/// A request as Python that uses the package requests.
enum PythonSnippet {
    static func text(_ parts: SnippetParts) -> String {
        var lines = ["import requests", ""]
        lines.append("response = requests.request(")
        lines.append("    \(literal(parts.method)),")
        lines.append("    \(literal(parts.url)),")
        let (fields, repeated) = joined(parts.fields)
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

    /// The fields with repeated names joined, and those names: a dictionary has one value a name.
    private static func joined(
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

    private static func literal(_ text: String) -> String {
        SnippetLiteral.quoted(text) { scalar in
            scalar.value > 0xFFFF
                ? "\\U" + SnippetLiteral.hex(scalar.value, 8)
                : "\\u" + SnippetLiteral.hex(scalar.value, 4)
        }
    }

    private static func bytes(_ bytes: [UInt8]) -> String {
        let text = String(String.UnicodeScalarView(bytes.map { UnicodeScalar($0) }))
        return "b"
            + SnippetLiteral.quoted(text) { "\\x" + SnippetLiteral.hex($0.value, 2) }
    }
}

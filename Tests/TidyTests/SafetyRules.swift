import Foundation

/// What may not be written, or not without a reason beside it.
enum SafetyRules {
    /// What needs a comment on its line or in the lines above that says why it is right.
    private static let needsReason = [
        "try!", "fatalError(", "@unchecked Sendable", "nonisolated(unsafe)",
    ]
    /// How far above the comment may end.
    private static let reasonDistance = 8

    static func findings(in file: SourceFile) -> [Finding] {
        file.lines.indices.compactMap { index in
            message(for: index, of: file.lines).map {
                Finding(file: file.path, line: index + 1, message: $0)
            }
        }
    }

    private static func message(for index: Int, of lines: [String]) -> String? {
        let code = code(of: lines[index])
        if isEmptyCatch(code, next: index + 1 < lines.count ? lines[index + 1] : "") {
            return "an empty catch hides an error"
        }
        if code.contains("OpaquePointer"), code.contains("public ") {
            return "a C pointer in a public declaration"
        }
        if let word = needsReason.first(where: code.contains), !hasReason(index, lines) {
            return "\(word) without a comment that says why it is right"
        }
        return nil
    }

    private static func isEmptyCatch(_ code: String, next: String) -> Bool {
        guard let start = code.range(of: "catch") else { return false }
        let rest = code[start.upperBound...].filter { $0 != " " }
        if rest.hasSuffix("{}") { return true }
        return rest.hasSuffix("{") && next.filter { $0 != " " } == "}"
    }

    private static func hasReason(_ index: Int, _ lines: [String]) -> Bool {
        lines[max(0, index - reasonDistance)...index].contains { $0.contains("//") }
    }

    /// A line without its comment and without the contents of its string literals.
    private static func code(of line: String) -> String {
        var code = ""
        var isInString = false
        var isEscaped = false
        for character in line {
            if isInString {
                if character == "\"", !isEscaped { isInString = false }
                isEscaped = character == "\\" && !isEscaped
                continue
            }
            if character == "\"" { isInString = true }
            code.append(character)
            if code.hasSuffix("//") { return String(code.dropLast(2)) }
        }
        return code
    }
}

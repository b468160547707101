import Foundation

/// What may not be written, or not without a reason beside it.
enum SafetyRules {
    /// What needs a comment on its line or in the lines above that says why it is right.
    private static let needsReason = [
        "try!", "fatalError(", "@unchecked Sendable", "nonisolated(unsafe)",
    ]
    /// How far above the comment may end.
    private static let reasonDistance = 8
    /// Switches off the check of exclusive access to a property, and how the proof above it that
    /// nothing needs the check begins.
    private static let unchecked = (attribute: "@exclusivity(unchecked)", proof: "// Exclusive:")

    /// Where units of time are converted.
    private static let converters = [
        "Sources/CivilTime/Nanoseconds.swift", "Sources/System/SystemClock.swift",
    ]

    /// Where values are replaced by the word that hides them: one redactor, and the proxy's own
    /// passwords, of which the engine must not record any.
    private static let redactors = [
        "Sources/Redaction/", "Sources/ProxyEngine/Access/ClientCredentials.swift",
    ]

    static func findings(in file: SourceFile) -> [Finding] {
        let mayRedact = redactors.contains { file.path.hasPrefix($0) }
        var isInText = false
        return file.lines.indices.flatMap { index in
            let line = file.lines[index]
            let code = code(of: line)
            let isCode = !isInText && !converters.contains(file.path)
            if line.components(separatedBy: "\"\"\"").count == 2 { isInText.toggle() }
            let messages = [
                message(for: index, code, of: file.lines), isCode ? unitMessage(code) : nil,
                isCode ? digitMessage(code) : nil, mayRedact ? nil : redactionMessage(line),
            ]
            return messages.compactMap { $0 }.map {
                Finding(file: file.path, line: index + 1, message: $0)
            }
        }
    }

    /// Finds products of a unit of time and anything but a literal: `seconds * 1_000_000_000`.
    private static func unitMessage(_ code: String) -> String? {
        // Regexes take long, and few lines have such a number.
        guard code.contains("000") else { return nil }
        let isProduct =
            code.matches(of: /([A-Za-z0-9_.)\]?!]*) *&?\*=? *1_?000(?:_?000)*\b/).contains {
                !$0.1.allSatisfy { $0.isNumber || $0 == "_" } || $0.1.isEmpty
            }
        guard
            isProduct || code.contains(/\b1_?000(_?000)* *&?\* *[A-Za-z(]/)
                || code.contains(/multiplied\w*\(by: *1_?000/)
        else { return nil }
        return "a number from outside may be too large for this product; "
            + "Nanoseconds converts units of time"
    }

    /// Finds digits that are put together by operators that trap: `value * 10 + digit`.
    private static func digitMessage(_ code: String) -> String? {
        guard code.contains(" * "), code.contains(/[^&] \* (?:10|16|radix) \+/) else { return nil }
        return "a number from outside may be too large for this sum; limit the digits and use &* &+"
    }

    private static func redactionMessage(_ line: String) -> String? {
        guard line.contains("\"REDACTED\"") else { return nil }
        return "values are hidden by Redaction alone; its word is Redaction.placeholder"
    }

    private static func message(
        for index: Int, _ code: String, of lines: [String]
    ) -> String? {
        if isEmptyCatch(code, next: index + 1 < lines.count ? lines[index + 1] : "") {
            return "an empty catch hides an error"
        }
        if code.contains("OpaquePointer"), code.contains("public ") {
            return "a C pointer in a public declaration"
        }
        if let word = needsReason.first(where: code.contains), !hasReason(index, lines) {
            return "\(word) without a comment that says why it is right"
        }
        if code.contains(unchecked.attribute), !hasProof(index, lines) {
            return "\(unchecked.attribute) without a comment \(unchecked.proof) right above it"
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

    private static func hasProof(_ index: Int, _ lines: [String]) -> Bool {
        lines[max(0, index - reasonDistance)..<index].contains { line in
            line.drop { $0 == " " }.hasPrefix(unchecked.proof)
        }
    }

    /// A line without its comment and without the contents of its string literals.
    private static func code(of line: String) -> String {
        guard line.utf8.contains(where: { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "/") })
        else { return line }
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

internal import ProxydInterchange
internal import ProxydParameterCoding
internal import ProxydTerminalText

/// The last step of every answer: credentials that are still in it are removed, hidden characters
/// are made visible, and it is cut to a length that agents can read.
struct AnswerFinish {
    /// The most bytes of an answer as JSON.
    static let byteCountMax = 64 << 10

    /// How much is kept of strings and arrays; each further step keeps less.
    private static let steps: [(textByteCount: Int, elementCount: Int)] = [
        (16 << 10, 500), (4 << 10, 200), (1 << 10, 100), (256, 50), (128, 20), (64, 5),
    ]

    private let redactor: TextRedactor?

    init(_ policy: AgentPolicy) {
        redactor = policy.showsSecrets ? nil : TextRedactor(policy.names)
    }

    /// The answer as an agent gets it.
    func value(_ answer: ToolAnswer) -> JSONValue {
        var members = answer.members
        if let origin = answer.origin {
            members = members.map { ($0, safe($1)) }
            members += [("untrusted", .bool(true)), ("origin", .string(visible(origin)))]
        }
        let whole = JSONValue.members(members)
        if AnswerFinish.fits(whole) { return whole }
        let advice = [("shortened", JSONValue.bool(true)), ("advice", .string(answer.advice))]
        for step in AnswerFinish.steps {
            let shortened = JSONValue.members(
                members.map { ($0, AnswerFinish.cut($1, step.textByteCount, step.elementCount)) }
                    + advice)
            if AnswerFinish.fits(shortened) { return shortened }
        }
        return .members(advice)
    }

    /// Text that may quote something captured, such as an error message.
    func message(_ text: String) -> String {
        AnswerFinish.start(of: visible(redactor?.redacted(text) ?? text), 4 << 10)
    }

    // MARK: Safety

    private func safe(_ value: JSONValue) -> JSONValue {
        switch value {
        case .null, .bool, .number: value
        case .string(let text): .string(visible(redactor?.redacted(text) ?? text))
        case .array(let elements): .array(elements.map(safe))
        case .object(let members):
            .object(
                members.map { .init(name: visible($0.name), value: safe($0.value)) })
        }
    }

    /// Shows control characters, invisible characters and those that turn the direction of text.
    private func visible(_ text: String) -> String {
        TerminalText.sanitize(text, layout: .data)
    }

    // MARK: Length

    private static func fits(_ value: JSONValue) -> Bool {
        MCPServer.text(value).count <= byteCountMax
    }

    private static func cut(_ value: JSONValue, _ textByteCount: Int, _ count: Int) -> JSONValue {
        switch value {
        case .null, .bool, .number: value
        case .string(let text): .string(start(of: text, textByteCount))
        case .array(let elements):
            .array(
                elements.prefix(count).map { cut($0, textByteCount, count) }
                    + more(elements.count - count, "elements"))
        case .object(let members):
            .object(
                members.prefix(max(count, 40)).map {
                    .init(
                        name: start(of: $0.name, textByteCount),
                        value: cut($0.value, textByteCount, count))
                })
        }
    }

    private static func more(_ count: Int, _ what: String) -> [JSONValue] {
        count > 0 ? [.string("… \(count) more \(what)")] : []
    }

    /// The start of a text, and how much is missing.
    private static func start(of text: String, _ byteCount: Int) -> String {
        guard text.utf8.count > byteCount else { return text }
        var end = text.utf8.index(text.startIndex, offsetBy: byteCount)
        while end > text.startIndex, end.samePosition(in: text.unicodeScalars) == nil {
            text.utf8.formIndex(before: &end)
        }
        return text[..<end] + "… \(text.utf8.count - byteCount) more bytes"
    }
}

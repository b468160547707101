package import ProxydParameterCoding

/// The members of a JSON object that a client sent. What is not known is refused, because it was
/// meant to change something.
package struct BodyMembers {
    private let members: [String: JSONValue]

    /// - Parameter known: The names that may occur.
    /// - Throws: if there is a member with another name.
    package init(
        _ members: [String: JSONValue], known: [String]
    ) throws(AnswerProblem) {
        self.members = members
        let unknown = members.keys.filter { !known.contains($0) }.min()
        guard let unknown else { return }
        let names = known.isEmpty ? "the body has none" : known.joined(separator: ", ")
        throw AnswerProblem(.invalid, "there is no member \"\(unknown)\": \(names)")
    }

    /// A member, or nil if it is absent.
    package subscript(_ name: String) -> JSONValue? { members[name] }

    /// A truth value, or nil if it is absent.
    package func bool(_ name: String) throws(AnswerProblem) -> Bool? {
        switch members[name] {
        case nil: nil
        case .bool(let value): value
        default: throw AnswerProblem(.invalid, "\(name) must be true or false")
        }
    }

    /// A text, or nil if it is absent or null.
    package func text(_ name: String) throws(AnswerProblem) -> String? {
        switch members[name] {
        case nil, .null: nil
        case .string(let text): text
        default: throw AnswerProblem(.invalid, "\(name) must be a text")
        }
    }

    /// A truth value that must be there.
    package func requiredBool(_ name: String) throws(AnswerProblem) -> Bool {
        guard let value = try bool(name) else {
            throw AnswerProblem(.invalid, "\(name) must be true or false")
        }
        return value
    }

    /// A text that must be there.
    package func requiredText(_ name: String) throws(AnswerProblem) -> String {
        guard let text = try text(name) else {
            throw AnswerProblem(.invalid, "\(name) must be a text")
        }
        return text
    }
}

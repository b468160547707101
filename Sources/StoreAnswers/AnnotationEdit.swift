package import ProxydCaptureModel
package import ProxydOperations
package import ProxydParameterCoding

/// The body of `PATCH /exchanges/{id}`: `note` (null removes it), `tags` (replaces all) and
/// `pinned`; members that are absent change nothing.
package struct AnnotationEdit {
    private var note: String?
    private var tags: [String]?
    private var isPinned: Bool?

    /// The members that it may have.
    package static let names = ["note", "tags", "pinned"]

    package init(_ members: [String: JSONValue]) throws(AnswerProblem) {
        try self.init(BodyMembers(members, known: AnnotationEdit.names))
    }

    /// - Parameter members: Members of `names`.
    package init(_ members: BodyMembers) throws(AnswerProblem) {
        switch members["note"] {
        case nil: break
        case .null: note = ""
        case .string(let text): note = try AnnotationEdit.checked(text)
        default: throw AnswerProblem(.invalid, "note must be a text or null")
        }
        switch members["tags"] {
        case nil: break
        case .array(let values): tags = try AnnotationEdit.texts(values)
        default: throw AnswerProblem(.invalid, "tags must be an array of texts")
        }
        isPinned = try members.bool("pinned")
    }

    /// The most tags, and the most bytes of a note or of a tag.
    private static let tagCountMax = 100
    private static let textByteCountMax = 16 << 10

    private static func texts(_ values: [JSONValue]) throws(AnswerProblem) -> [String] {
        guard values.count <= tagCountMax else {
            throw AnswerProblem(.invalid, "an exchange has at most \(tagCountMax) tags")
        }
        var texts: [String] = []
        for value in values {
            guard case .string(let text) = value else {
                throw AnswerProblem(.invalid, "tags must be an array of texts")
            }
            texts.append(try checked(text))
        }
        return texts
    }

    private static func checked(_ text: String) throws(AnswerProblem) -> String {
        guard text.utf8.count <= textByteCountMax else {
            throw AnswerProblem(
                .invalid, "a note or a tag has at most \(textByteCountMax) bytes")
        }
        return text
    }

    /// The change as it is made to an exchange.
    package func annotation(of row: ExchangeRow) -> Annotation {
        let wanted = tags ?? row.tags
        return Annotation(
            id: row.id, note: note, addedTags: wanted.filter { !row.tags.contains($0) },
            removedTags: row.tags.filter { !wanted.contains($0) }, isPinned: isPinned)
    }
}

import Capture
import ProxydCaptureModel
import ProxydHTTPModel
import ProxydOperations
import ProxydParameterCoding
import ProxydStoreTestSupport
import Testing

/// Notes, tags and pins as a client sends them.
struct AnnotationEditTests {
    /// The row of an exchange with two tags and a note.
    private func row() throws -> ExchangeRow {
        let store = TemporaryStore()
        let recorder = try store.recorder()
        defer { recorder.stop() }
        let id = recorder.recordSample()
        try recorder.flush()
        try recorder.annotate(AnnotationChange(id: id, note: "old", addedTags: ["a", "b"]))
        return try #require(try store.reader().row(id))
    }

    private func edit(_ members: [String: JSONValue]) throws -> AnnotationChange {
        try AnnotationEdit(members).annotation(of: row())
    }

    @Test func `an empty JSON object as an annotation request changes nothing`() throws {
        let id = try row().id
        #expect(try edit([:]) == AnnotationChange(id: id))
    }

    @Test func `setting the tags of an exchange adds the new ones and removes those not listed`()
        throws
    {
        let change = try edit(["tags": .array([.string("b"), .string("c")])])
        #expect(change.addedTags == ["c"])
        #expect(change.removedTags == ["a"])
        #expect(change.note == nil && change.isPinned == nil)
    }

    @Test func `setting an empty list of tags removes all tags`() throws {
        #expect(try edit(["tags": .array([])]).removedTags == ["a", "b"])
    }

    @Test func `in an annotation request, a null note deletes the note and a string replaces it`()
        throws
    {
        #expect(try edit(["note": .null]).note == "")
        #expect(try edit(["note": .string("new")]).note == "new")
    }

    @Test(arguments: [true, false])
    func `an annotation can pin and unpin an exchange`(isPinned: Bool) throws {
        #expect(try edit(["pinned": .bool(isPinned)]).isPinned == isPinned)
    }

    @Test(
        arguments: [
            (["note": .number("1")], "note must be a text or null"),
            (["pinned": .null], "pinned must be true or false"),
            (["tags": .string("a")], "tags must be an array of texts"),
            (["tags": .array([.number("1")])], "tags must be an array of texts"),
            (["colour": .string("red")], "there is no member \"colour\": note, tags, pinned"),
        ] as [([String: JSONValue], String)])
    func `the error for an invalid annotation request names the unknown or mistyped JSON member`(
        members: [String: JSONValue], problem: String
    ) {
        #expect(throws: AnswerProblem(.invalid, problem)) { try AnnotationEdit(members) }
    }

    @Test func `an annotation accepts at most 100 tags, and notes and tags of at most 16 KiB`()
        throws
    {
        let long = String(repeating: "a", count: 16 << 10)
        let tags = (0..<100).map { JSONValue.string("\($0)") }
        #expect(try edit(["tags": .array(tags)]).addedTags.count == 100)
        #expect(try edit(["note": .string(long)]).note == long)
        #expect(throws: AnswerProblem(.invalid, "an exchange has at most 100 tags")) {
            try AnnotationEdit(["tags": .array(tags + [.string("more")])])
        }
        for members in [
            ["note": JSONValue.string(long + "a")], ["tags": .array([.string(long + "a")])],
        ] {
            #expect(throws: AnswerProblem(.invalid, "a note or a tag has at most 16384 bytes")) {
                try AnnotationEdit(members)
            }
        }
    }
}

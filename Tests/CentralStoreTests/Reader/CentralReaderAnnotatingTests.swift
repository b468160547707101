import ProxydCaptureModel
import ProxydHTTPModel
import Testing

@testable import ProxydCentralStore

/// Notes, tags and pins that are changed in the central store.
@Suite struct CentralReaderAnnotatingTests {
    private let connection = ScriptedConnection()
    private let reader: CentralReader
    private let id = ExchangeID(rawValue: centralNumber(1, 5))

    init() { reader = CentralReader(ScriptedServer(connection).link) }

    private func know(_ values: [CentralValue]) {
        connection.answer("SELECT note, tags, pinned FROM exchange", .rows(values))
    }

    @Test(
        arguments: [
            // Nothing is changed by nil and by empty lists.
            (nil, [], [], nil, [.text("old"), .texts(["a", "b"]), .boolean(true)]),
            ("new", [], [], false, [.text("new"), .texts(["a", "b"]), .boolean(false)]),
            // An empty note is no note.
            ("", [], ["a", "x"], nil, [.null, .texts(["b"]), .boolean(true)]),
            // Tags stay where they are; one that is removed and added comes last.
            (nil, ["b", "c"], [], nil, [.text("old"), .texts(["a", "b", "c"]), .boolean(true)]),
            (nil, ["a"], ["a"], nil, [.text("old"), .texts(["b", "a"]), .boolean(true)]),
            // Tags are one line, and not empty.
            (
                nil, ["", "d\ne"], [], nil,
                [.text("old"), .texts(["a", "b", "d e"]), .boolean(true)]
            ),
        ] as [(String?, [String], [String], Bool?, [CentralValue])])
    func `changing some annotations in the central store leaves the others unchanged`(
        note: String?, added: [String], removed: [String], isPinned: Bool?,
        written: [CentralValue]
    ) throws {
        know([.text("old"), .texts(["a", "b"]), .boolean(true)])
        try reader.annotate(
            AnnotationChange(
                id: id, note: note, addedTags: added, removedTags: removed, isPinned: isPinned))
        let expected = ["BEGIN", "SELECT note", "UPDATE exchange", "COMMIT"]
        #expect(connection.outline == expected)
        let update = try #require(connection.requests.dropFirst(2).first)
        #expect(update.arguments == [.integer(id.rawValue)] + written)
        #expect(update.sql.contains("annotated_at = now()"))
        // No one else changes it meanwhile.
        #expect(connection.requests.dropFirst().first?.sql.hasSuffix("FOR UPDATE") == true)
    }

    @Test func `annotating an exchange that is not in the central store throws an error`() {
        #expect(throws: StoreError.notFound(id.rawValue)) {
            try reader.annotate(AnnotationChange(id: id, note: "n"))
        }
        #expect(connection.outline == ["BEGIN", "SELECT note", "COMMIT"])
        #expect(connection.requests.dropFirst().first?.arguments == [.integer(id.rawValue)])
    }

    @Test func `annotating in the central store without permission is rolled back`() {
        know([.null, .texts([]), .boolean(false)])
        let error = CentralError.server(code: "42501", message: "permission denied")
        connection.answer("UPDATE exchange", .failure(error))
        #expect(throws: StoreError.central("permission denied (SQLSTATE 42501)")) {
            try reader.annotate(AnnotationChange(id: id, note: "n"))
        }
        #expect(connection.outline.last == "ROLLBACK")
    }

    @Test func `annotations read from the central store are empty if the exchange is missing`()
        throws
    {
        #expect(try reader.annotations(of: id) == Exchange.Annotations())
        know([.text("n"), .texts(["a"]), .boolean(true)])
        let annotations = Exchange.Annotations(note: "n", tags: ["a"], isPinned: true)
        #expect(try reader.annotations(of: id) == annotations)
    }
}

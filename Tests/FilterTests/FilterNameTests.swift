import ProxydFilterTestSupport
import Testing

@testable import ProxydFilter

/// Names of stores and of exchanges.
@Suite struct FilterNameTests {
    private static let central = FilterRow.with { row in
        row.id = 4_711
        row.texts[.store] = "ci-17"
    }

    @Test(arguments: [
        ("store=ci-17", true), ("store=ci", false), ("store:CI", true), ("store~^ci-[0-9]+$", true),
        ("store!=ci-17", false), ("id=4711", true), ("id=ci-17:4711", true),
        ("id=\"ci-17:4711\"", true), ("id=ci-17:4712", false), ("id=ci-18:4711", false),
        ("id!=ci-17:4711", false), ("id!=ci-18:4711", true), ("not id=ci-18:4711", true),
        ("id<ci-17:4712", true), ("id<ci-17:4711", false), ("id<=ci-17:4711", true),
        ("id<=ci-17:4710", false), ("id>ci-17:4710", true), ("id>=ci-17:4712", false),
        ("id>=ci-18:1", false), ("id:ci-17:71", true), ("id:ci-18:71", false),
        ("id=ci-17:1 or id=ci-17:4711", true),
    ])
    func `an exchange ID in a filter can consist of a store name and a number in that store`(
        text: String, isFound: Bool
    ) throws {
        #expect(try Filter.parse(text).matches(Self.central) == isFound)
    }

    @Test(arguments: [
        ("store:\"\"", false), ("store!:\"\"", true), ("id=ci-17:4711", false),
        ("not id=ci-17:4711", true), ("id=4711", true),
    ])
    func `a filter on a store name matches exchanges outside a central store only if negated`(
        text: String, isFound: Bool
    ) throws {
        let row = FilterRow.with { $0.id = 4_711 }
        #expect(try Filter.parse(text).matches(row) == isFound)
    }

    @Test(arguments: ["id=ci-17:", "id=:4711", "id>=ci-17:x", "id=ci-17"])
    func `an invalid exchange id in a filter is reported at its column`(text: String) {
        do {
            _ = try Filter.parse(text)
            Issue.record("no error: \(text)")
        } catch {
            #expect(error.column == (text.hasPrefix("id>=") ? 5 : 4))
            #expect(error.message.contains("STORE:NUMBER"))
        }
    }
}

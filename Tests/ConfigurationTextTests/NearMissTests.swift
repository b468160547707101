import ProxydConfigurationText
import Testing

struct NearMissTests {
    @Test(
        arguments: [
            ("whne", "when"), ("nme", "name"), ("zzz", nil), ("limits.head", "limits.headed"),
            ("", nil),
        ] as [(String, String?)])
    func `the error for a misspelled name suggests the nearest known name, if one is near`(
        name: String, meant: String?
    ) {
        #expect(NearMiss.of(name, among: ["name", "when", "limits.headed"]) == meant)
    }

    @Test func `the error for a misspelled name of a million characters suggests nothing`() {
        let name = String(repeating: "a", count: 1_000_000)
        #expect(NearMiss.hint(for: name, among: ["aaa"]) == "")
        #expect(NearMiss.hint(for: "aab", among: ["aaa"]) == "; did you mean aaa?")
    }
}

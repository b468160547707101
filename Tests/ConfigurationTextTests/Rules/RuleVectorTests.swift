import ProxydConfigurationText
import ProxydTestSupport
import Testing

@Suite(.enabled(if: RuleVectorFile.isThere, "no ../shared/vectors beside the repository"))
struct RuleVectorTests {
    /// What is wrong in these is known only to who reads filters and targets.
    private static let othersMistakes: Set = [
        "invalid-filter", "invalid-filter-field", "invalid-filter-connect", "invalid-filter-never",
        "invalid-framing", "invalid-field-name", "invalid-regex", "invalid-status-range",
    ]

    @Test func `all valid rules files of the shared test vectors are accepted`() throws {
        let cases = try RuleVectors.read().filter { $0.expect.error == nil }
        #expect(cases.count > 50)
        for vector in cases {
            do {
                _ = try SampleRules.read(vector.rules, file: "f")
            } catch {
                Issue.record("\(vector.id): \(error)")
            }
        }
    }

    @Test
    func `mistakes in the rules files of the shared test vectors are reported with their line`()
        throws
    {
        let cases = try RuleVectors.read().filter {
            $0.expect.error != nil && !Self.othersMistakes.contains($0.id)
        }
        #expect(cases.count > 5)
        for vector in cases {
            let mistake = try #require(vector.expect.error)
            let error = #expect(throws: ConfigurationError.self, "\(vector.id)") {
                _ = try SampleRules.read(vector.rules, file: "f")
            }
            let found = error?.description ?? ""
            #expect(found.hasPrefix("f:\(mistake.line): "), "\(vector.id): \(found)")
            #expect(mistake.says.isEmpty || found.contains(mistake.says), "\(found)")
        }
    }
}

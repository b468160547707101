import ProxydConfigurationText
import ProxydTestSupport
import Testing

@testable import ProxydDaemonConfiguration

/// Numbers are accepted in the ranges that docs/CONFIGURATION.md gives, and in no others.
struct ConfigurationRangeTests {
    private struct Range {
        let key: String
        let least: Int
        /// Nil where the documentation gives none.
        let most: Int?
    }

    private func ranges() throws -> [Range] {
        try RepositoryFiles.text("docs/CONFIGURATION.md").split(separator: "\n")
            .filter { $0.hasPrefix("| `") }
            .compactMap { line in
                let cells = line.split(separator: "|").map(String.init)
                guard cells.count == 5 else { return nil }
                let key = cells[0].filter { $0 != " " && $0 != "`" }
                let taken = cells[2]
                if let mark = taken.firstIndex(of: "≥") {
                    let least = ConfigurationRangeTests.number(taken[taken.index(after: mark)...])
                    return least.map { Range(key: key, least: $0, most: nil) }
                }
                if taken.contains("seconds, 0") { return Range(key: key, least: 0, most: nil) }
                let ends = taken.split(separator: "–").map(ConfigurationRangeTests.number)
                guard ends.count == 2, let least = ends[0], let most = ends[1] else { return nil }
                return Range(key: key, least: least, most: most)
            }
    }

    /// A number such as `1,000`, `16 KiB` or `60,000 ms`.
    private static func number(_ text: Substring) -> Int? {
        let words = text.split(separator: " ")
        let units = ["KiB": 1 << 10, "MiB": 1 << 20, "TiB": 1 << 40]
        return words.first.flatMap { Int($0.filter { $0 != "," }) }.map {
            $0 * (words.dropFirst().first.flatMap { units[String($0)] } ?? 1)
        }
    }

    private func problems(_ key: String, _ number: Int) -> [String] {
        do {
            _ = try ConfigurationReader.read("\(key) = \(number)\n", file: "f")
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }

    @Test
    func `a number in the configuration is accepted at the ends of its range but not beyond them`()
        throws
    {
        let ranges = try ranges()
        #expect(ranges.count >= 30)
        for range in ranges {
            #expect(problems(range.key, range.least).isEmpty, "\(range.key)")
            let low = problems(range.key, range.least - 1)
            #expect(low.count == 1, "\(range.key)")
            #expect(low.first?.hasPrefix("f:1: \(range.key): expected \(range.least) to ") == true)
            #expect(problems(range.key, .max).count == 1, "\(range.key)")
            guard let most = range.most else { continue }
            #expect(problems(range.key, most).isEmpty, "\(range.key)")
            #expect(
                problems(range.key, most + 1) == [
                    "f:1: \(range.key): expected \(range.least) to \(most), found \(most + 1)"
                ])
        }
    }

    @Test(arguments: [
        ("tls.pass_through = [\"a b\"]", "\"a b\" is not a host pattern"),
        ("tls.intercept = [\"a\", \"b:0\"]", "\"b:0\" has no port from 1 to 65535"),
        ("tls.authority_names = [\"*.a.test\"]", "expected DNS names"),
        ("tls.authority_names = [\"10.0.0.1\"]", "expected DNS names"),
        ("tls.extra_ca_files = [\"/nowhere/ca.pem\"]", "cannot read /nowhere/ca.pem: No such file"),
        ("tls.extra_ca_files = [\"ca.pem\"]", "expected an absolute path"),
        ("tls.key_log_file = \"keys\"", "expected an absolute path"),
        ("tls.key_log_file = \"/keys\\u0000.old\"", "expected an absolute path"),
        ("data_dir = \"/data\\u0000\"", "expected an absolute path"),
        ("rules.file = \"rules.toml\"", "expected an absolute path"),
        ("listen.users_file = \"users\"", "expected an absolute path"),
        ("recording.filter = \"host=\"", "column "), ("recording.filter = \"(a\"", "column 1: "),
        ("recording.filter = \"host=a status=200\"", "column 8: status is not known when"),
        ("recording.filter = \"reqbody:a\"", "column 1: reqbody is not known when"),
        ("recording.unstored_fields = [\"\"]", "expected letters, digits"),
        ("recording.unstored_fields = [\"a:\"]", "expected letters, digits"),
        ("recording.unstored_parameters = [\"-_-\"]", "expected the name of a parameter"),
        ("recording.unstored_parameters = [\"\"]", "expected the name of a parameter"),
        ("recording.http2_frames = \"all\"", "expected one of \"none\", \"timeline\", \"bytes\""),
        ("forwarding.via_pseudonym = \"a/b\"", "expected letters, digits"),
        ("forwarding.connect_ports = [\"0\"]", "expected a port or FIRST-LAST"),
        ("forwarding.connect_ports = [\"9-8\"]", "expected a port or FIRST-LAST"),
        ("forwarding.denied_target_networks = [\"10.0.0.0/33\"]", "expected an address"),
        ("forwarding.denied_target_networks = [\"[::1]\"]", "expected an address"),
    ])
    func `an unusable configuration value is rejected with an error that names its line and key`(
        _ text: String, _ message: String
    ) {
        let error = #expect(throws: ConfigurationError.self) {
            _ = try ConfigurationReader.read("\n" + text, file: "f")
        }
        #expect(error?.problems.count == 1)
        let name = text.prefix { $0 != " " }
        let found = error?.description ?? ""
        #expect(found.hasPrefix("f:2: \(name): "), "\(found)")
        #expect(found.contains(message), "\(found)")
    }

    @Test
    func `a recording filter may test the host, method and header fields of requests`()
        throws
    {
        let text = "recording.filter = 'host=a.test method=POST reqheader.X=1'"
        let recording = try ConfigurationReader.read(text, file: "f").recording
        #expect(recording.parsedFilter != nil)
        #expect(Configuration().recording.parsedFilter == nil)
    }

    @Test(arguments: [(0, 1, 1), (0, 2, 1), (0, 8, 7), (0, 0, 1), (3, 8, 3), (3, 1, 3)])
    func `the number of event loops is configurable and defaults to CPUs minus one, at least 1`(
        _ said: Int, _ processors: Int, _ count: Int
    ) {
        var threads = Configuration.Threads()
        threads.loopCount = said
        #expect(threads.loopCount(processorCount: processors) == count)
    }
}

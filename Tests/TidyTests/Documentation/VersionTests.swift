import Foundation
import Testing

/// The documentation tells users to ask for the version of the programs, and the changelogs begin
/// with it.
struct VersionTests {
    private static func text(_ path: String) throws -> String {
        try String(contentsOf: SourceFile.root.appending(path: path), encoding: .utf8)
    }

    private static func programVersion() throws -> String {
        let source = try text("Sources/ProcessSetup/ProgramVersion.swift")
        let number = /static let number = "([0-9]+\.[0-9]+\.[0-9]+)"/
        return String(try #require(source.firstMatch(of: number)).1)
    }

    @Test(arguments: [
        "README.md", "docs/EMBEDDING.md", "Sources/ClientLib/ClientLib.docc/GettingStarted.md",
    ])
    func `each page that shows a package manifest names the current version`(page: String) throws {
        let named = try Self.text(page).matches(of: /url: PROXYD, from: "([^"]*)"/).map {
            String($0.1)
        }
        #expect(named == [try Self.programVersion()])
    }

    @Test
    func `both changelogs begin with an entry for the current version and have the same date`()
        throws
    {
        let version = try Self.programVersion()
        let heading = /\n## \[([0-9.]+)\] - ([0-9]{4}-[0-9]{2}-[0-9]{2})\n/
        let newest = try #require(try Self.text("CHANGELOG.md").firstMatch(of: heading))
        #expect(newest.1 == version)

        let entry = /^proxyd \(([^)]*)\).*?\n -- [^\n]*>  ([^\n]*)\n/.dotMatchesNewlines()
        let packaged = try #require(
            try Self.text("packaging/debian/changelog").prefixMatch(of: entry))
        #expect(packaged.1 == version)
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "UTC")
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss Z"
        let day = try #require(format.date(from: String(packaged.2)))
        #expect(day.formatted(.iso8601.year().month().day()) == newest.2)
    }
}

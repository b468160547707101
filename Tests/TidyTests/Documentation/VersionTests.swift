import Foundation
import Testing

/// The version that the documentation tells users to ask for is the one that is released.
struct VersionTests {
    private static func text(_ path: String) throws -> String {
        try String(contentsOf: SourceFile.root.appending(path: path), encoding: .utf8)
    }

    private static func programVersion() throws -> String {
        let source = try text("Sources/ProcessSetup/ProgramVersion.swift")
        let number = /static let number = "([0-9]+\.[0-9]+\.[0-9]+)"/
        return String(try #require(source.firstMatch(of: number)).1)
    }

    @Test(arguments: ["README.md", "Sources/ClientLib/ClientLib.docc/GettingStarted.md"])
    func `the README and the getting-started page name the current version`(page: String) throws {
        let named = try Self.text(page).matches(of: /url: PROXYD, from: "([^"]*)"/).map {
            String($0.1)
        }
        #expect(named == [try Self.programVersion()])
    }
}

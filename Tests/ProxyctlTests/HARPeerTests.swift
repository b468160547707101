import Foundation
@testable import proxyctl
import ProxydTestSupport
import Testing

/// What other programs say of our HAR. They are Python packages: Debian's `python3-jsonschema`,
/// and `haralyzer`, which Debian does not have.
@Suite struct HARPeerTests {
    /// A Python that has a package; nil where none has.
    private static func python(having package: String) -> String? {
        let runner = SystemProgramRunner()
        return [runner.find("python3"), "/usr/bin/python3"].compactMap { $0 }.first {
            runner.run($0, ["-c", "import \(package)"])?.exitCode == 0
        }
    }

    private static let schemas: String? = {
        var directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        while directory.path != "/" {
            let candidate = directory.appending(path: "../shared/vectors/har").standardized
            if FileManager.default.fileExists(atPath: candidate.path) { return candidate.path }
            directory.deleteLastPathComponent()
        }
        return nil
    }()

    private static let jsonschema = python(having: "jsonschema")
    private static let haralyzer = python(having: "haralyzer")

    /// Every schema is known by its file's name, with and without an empty fragment.
    private static let validation = """
        import glob, json, os, sys, warnings
        warnings.simplefilter("ignore")
        import jsonschema
        schemas = {}
        for path in glob.glob(sys.argv[1] + "/*.json"):
            with open(path) as file:
                schema = json.load(file)
            schemas[os.path.basename(path)] = schema
            schemas[os.path.basename(path) + "#"] = schema
        root = schemas["har.json"]
        resolver = jsonschema.RefResolver("", root, store=schemas)
        with open(sys.argv[2]) as file:
            document = json.load(file)
        validator = jsonschema.Draft6Validator(
            root, resolver=resolver, format_checker=jsonschema.FormatChecker())
        for error in validator.iter_errors(document):
            print(list(error.absolute_path), error.message[:200])
        """

    private static let loading = """
        import sys
        import haralyzer
        parser = haralyzer.HarParser.from_file(sys.argv[1])
        for page in parser.pages:
            for entry in page.entries:
                print(entry.request.method, entry.response.status, entry.time >= 0)
        """

    /// An export of the sample store, and the store, whose end is its files' end.
    private func exported(_ arguments: [String] = []) throws -> (store: SampleStore, path: String) {
        let store = try SampleStore()
        let path = store.scratch.path + "/out.har"
        let command = ["--data-dir", store.directoryPath, "export", "--format", "har"]
        #expect(CommandRun(command + ["--output", path] + arguments).code == 0)
        return (store, path)
    }

    /// What a script prints about a file.
    private func output(_ python: String?, _ script: String, _ arguments: String...) throws
        -> String
    {
        let result = SystemProgramRunner().run(
            try #require(python), ["-c", script] + arguments)
        #expect(result?.exitCode == 0, "\(result?.lastErrorLine ?? "it did not end")")
        return result?.outputText ?? ""
    }

    @Test(
        .enabled(if: schemas != nil, "no ../shared/vectors beside the repository"),
        .enabled(if: jsonschema != nil, "no Python here has jsonschema"))
    func `a HAR export is valid according to the HAR JSON schema, redacted or not`() throws {
        let schemas = try #require(HARPeerTests.schemas)
        for arguments in [[], ["--redact"]] {
            let (store, path) = try exported(arguments)
            let problems = try withExtendedLifetime(store) {
                try output(HARPeerTests.jsonschema, HARPeerTests.validation, schemas, path)
            }
            #expect(problems == "")
        }
    }

    @Test(.enabled(if: haralyzer != nil, "no Python here has haralyzer"))
    func `haralyzer loads every entry of a HAR export`() throws {
        let (store, path) = try exported()
        let entries = try withExtendedLifetime(store) {
            try output(HARPeerTests.haralyzer, HARPeerTests.loading, path)
        }.split(separator: "\n")
        #expect(entries.count == 6)
        #expect(entries.allSatisfy { $0.hasSuffix("True") })
    }
}

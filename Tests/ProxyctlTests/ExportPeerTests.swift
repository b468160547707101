import Foundation
import ProxydHTTPModel
@testable import proxyctl
import ProxydTestSupport
import Testing

/// What other programs say of our descriptions and scripts: the Python package
/// openapi-spec-validator, which Debian does not have, and Node.
@Suite struct ExportPeerTests {
    private static let runner = SystemProgramRunner()

    private static let validator: String? = {
        let named = ProcessInfo.processInfo.environment["OPENAPI_PYTHON"]
        return [named, runner.find("python3"), "/usr/bin/python3"].compactMap { $0 }.first {
            runner.run($0, ["-c", "import openapi_spec_validator"])?.exitCode == 0
        }
    }()

    private static let node = runner.find("node")

    private static let validation = """
        import json, sys
        from openapi_spec_validator import OpenAPIV31SpecValidator
        with open(sys.argv[1]) as file:
            document = json.load(file)
        for error in OpenAPIV31SpecValidator(document).iter_errors():
            print(list(error.absolute_path), error.message[:200])
        """

    /// Exchanges whose texts would leave a literal, a comment or a template.
    private static var hostile: [Exchange] {
        let texts = [
            "*/ } process.exit(3); //", "`${process.exit(3)}`", "\"'\\\u{2028}\u{2029}\n</script>",
            "{{x}} {y} %7B", "\u{0}\u{1F600}",
        ]
        return texts.map { text in
            let encoded = text.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }
            var exchange = SampleExchange.search
            exchange.request = Request(
                url: SampleExchange.url("a.test", "/p/\(encoded.joined())?\(encoded.joined())=1"),
                head: exchange.request.head, body: Body(Array(text.utf8)))
            return exchange
        }
    }

    private func exported(
        _ format: String, _ exchanges: [Exchange] = SampleExchange.all, more: [String] = []
    ) throws -> (store: SampleStore, path: String) {
        let store = try SampleStore(exchanges)
        let path = store.scratch.path + (format == "k6" ? "/out.mjs" : "/out.json")
        let run = CommandRun(
            ["--data-dir", store.directoryPath, "export", "--format", format, "--output", path]
                + more)
        #expect(run.code == 0)
        return (store, path)
    }

    @Test(.enabled(if: validator != nil, "no Python here has openapi-spec-validator"))
    func `openapi-spec-validator accepts OpenAPI exports, even of hostile data and after a merge`()
        throws
    {
        let python = try #require(ExportPeerTests.validator)
        for exchanges in [SampleExchange.all, ExportPeerTests.hostile] {
            let (store, path) = try exported("openapi", exchanges)
            let merged = store.scratch.path + "/merged.json"
            let run = store.run(
                "export", "--format", "openapi", "--merge", path, "--output", merged)
            #expect(run.code == 0)
            for file in [path, merged] {
                let result = ExportPeerTests.runner.run(
                    python, ["-c", ExportPeerTests.validation, file])
                #expect(result?.exitCode == 0, "\(result?.lastErrorLine ?? "it did not end")")
                #expect(result?.outputText == "")
            }
        }
    }

    @Test(.enabled(if: node != nil, "no Node here"))
    func `k6 exports are plain ASCII scripts that Node can parse, even with hostile text`() throws {
        let node = try #require(ExportPeerTests.node)
        for exchanges in [SampleExchange.all, ExportPeerTests.hostile] {
            let (store, path) = try exported("k6", exchanges)
            let result = withExtendedLifetime(store) {
                ExportPeerTests.runner.run(node, ["--check", path])
            }
            #expect(result?.exitCode == 0, "\(result?.lastErrorLine ?? "it did not end")")
            let script = try String(contentsOfFile: path, encoding: .utf8)
            let isPlain = script.utf8.allSatisfy { $0 == 0x0A || (0x20...0x7E).contains($0) }
            #expect(isPlain)
        }
    }

    @Test
    func `proxyctl export --merge needs an OpenAPI document in JSON and --format openapi`()
        throws
    {
        let store = try SampleStore([SampleExchange.search])
        let file = try store.scratch.write("api.yaml", "openapi: 3.1.0\n")
        let run = store.run("export", "--format", "openapi", "--merge", file)
        #expect(run.code == 1)
        #expect(run.errors == "proxyctl: \(file) is not a description of OpenAPI 3.1 in JSON\n")
        #expect(store.run("export", "--format", "har", "--merge", file).code == 64)
    }
}

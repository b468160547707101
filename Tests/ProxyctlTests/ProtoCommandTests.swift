import ProxydCaptureModel
import Capture
import Foundation
import ProxydControl
import ProxydHTTPModel
@testable import proxyctl
import ProxydTestSupport
import Testing

/// Descriptions of messages, and what commands show with them.
struct ProtoCommandTests {
    /// A store with a call in it, and a descriptor set beside it.
    private func store(_ calls: ExchangeUpdate...) throws -> (SampleStore, set: String) {
        let store = try SampleStore([])
        let recorder = try Recorder(directory: store.directory)
        for call in calls { recorder.record(call) }
        try recorder.wait { recorder.flush(completion: $0) }
        recorder.stop()
        let set = store.scratch.path + "/set.pb"
        try Data(Greeter.descriptorSet).write(to: URL(fileURLWithPath: set))
        return (store, set)
    }

    private var call: ExchangeUpdate { Greeter.call(ExchangeID(rawValue: 1)) }

    @Test func `proxyctl proto adds, lists and removes protobuf descriptor files`() throws {
        let (store, set) = try store()
        let nothing = store.run("proto", "list")
        #expect(nothing.code == 0)
        #expect(nothing.errors.contains("proxyctl proto add"))
        let added = store.run("proto", "add", set)
        #expect(added.output == "added 1 file with 1 service\n")
        #expect(added.errors.isEmpty)
        let listed = store.run("proto", "list")
        #expect(listed.lines.count == 2)
        #expect(listed.output.contains("greeter.proto  given"))
        #expect(listed.output.contains("demo.Greeter"))
        let object = try #require(try store.objects(store.run("proto", "list", "--json")).first)
        #expect(object["name"] as? String == "greeter.proto")
        #expect(object["source"] as? String == "given")
        #expect(object["package"] as? String == "demo")
        #expect(object["services"] as? [String] == ["demo.Greeter"])
        #expect(object["messages"] as? Int == 2)
        #expect(object["bytes"] as? Int == Greeter.file.count)
        #expect(store.run("proto", "remove", "greeter.proto").code == 0)
        let again = store.run("proto", "remove", "greeter.proto")
        #expect(again.code == 1)
        #expect(again.errors.contains("there is no file named greeter.proto"))
        #expect(store.run("proto", "list", "--json").output.isEmpty)
    }

    @Test func `if a daemon is running, proxyctl proto add and remove send their changes to it`()
        throws
    {
        let (store, set) = try store()
        let daemon = try RunningDaemon(store)
        #expect(store.run("proto", "add", set).code == 0)
        let file = try #require(daemon.handler.snapshot.protoFiles.first)
        #expect(file.name == "greeter.proto")
        #expect([UInt8](file.bytes) == Greeter.file)
        #expect(store.run("proto", "remove", "greeter.proto").code == 0)
        #expect(store.run("proto", "remove", "greeter.proto").code == 1)
    }

    @Test
    func `proxyctl proto add rejects a .proto file and prints the protoc command that compiles it`()
        throws
    {
        let (store, _) = try store()
        let path = try store.scratch.write(
            "hello.proto", "syntax = \"proto3\";\nmessage M {}\n")
        let run = store.run("proto", "add", path)
        #expect(run.code == 1)
        #expect(run.errors.contains("protoc --include_imports --descriptor_set_out="))
        #expect(!run.errors.contains("\\n"))
        let named = try store.scratch.write("text", "message M { optional int32 x = 1; }\n")
        #expect(store.run("proto", "add", named).errors.contains("is a .proto file"))
        let other = try store.scratch.write("other", "what else")
        let refused = store.run("proto", "add", other)
        #expect(refused.code == 1)
        #expect(refused.errors.contains("is not a descriptor set"))
        #expect(store.run("proto", "add", "/nowhere/x").errors.contains("No such file"))
        #expect(store.run("proto", "list", "--json").output.isEmpty)
    }

    @Test
    func `proxyctl messages prints gRPC messages as JSON if their type is known, else raw fields`()
        throws
    {
        let (store, set) = try store(call)
        let without = try store.objects(store.run("messages", "1", "--json"))
        #expect(without.count == 2)
        #expect(without.first?["compressed"] as? Bool == false)
        let fields = try #require(without.first?["fields"] as? [[String: Any]])
        #expect(fields.first?["text"] as? String == "Ada")
        #expect(without.first?["json"] == nil)
        #expect(store.run("messages", "1").output.contains(#"1: "Ada", 2: 3, 3: 1"#))

        #expect(store.run("proto", "add", set).code == 0)
        let with = try store.objects(store.run("messages", "1", "--json"))
        let request = try #require(with.first?["json"] as? [String: Any])
        #expect(
            request as NSDictionary == ["name": "Ada", "times": 3, "mood": "GLAD"] as NSDictionary)
        #expect(with.first?["fields"] == nil)
        #expect(with.first?["bytes"] as? Int == Greeter.request.count)
        #expect(with.last?["direction"] as? String == "to_client")
        let reply = try #require(with.last?["json"] as? [String: Any])
        #expect(reply["at"] as? String == "2000-02-29T00:00:00Z")
        #expect(store.run("messages", "1").output.contains(#"{"name":"Ada","times":3,"#))
    }

    @Test func `proxyctl show prints gRPC messages as JSON if their type is known`() throws {
        let (store, set) = try store(call)
        #expect(!store.run("show", "1").output.contains("GLAD"))
        #expect(store.run("proto", "add", set).code == 0)
        let run = store.run("show", "1")
        #expect(run.output.contains("demo.HelloRequest"))
        #expect(run.output.contains("GLAD"))
        #expect(run.output.contains("2000-02-29T00:00:00Z"))
        #expect(store.run("show", "1", "--part", "request").output.contains("GLAD"))
    }

    @Test
    func `proxyctl show prints the name of a gRPC status and the decoded gRPC status message`()
        throws
    {
        let failed = Greeter.call(
            ExchangeID(rawValue: 1), replies: [], status: "5", message: "no%20such user%1b[31m")
        let (store, _) = try store(failed)
        let run = store.run("show", "1")
        #expect(run.output.contains("grpc status   5 NOT_FOUND: no such user"))
        #expect(!run.bytes.contains(0x1B))
    }

    // MARK: grpcurl

    @Test func `a gRPC call is exported as a grpcurl command if its protobuf types are known`()
        throws
    {
        let chat = Greeter.call(
            ExchangeID(rawValue: 1), path: "/demo.Greeter/Chat",
            requests: [Greeter.request, [0x10, 7], []], fields: [("X-Token", "a'b")])
        let (store, set) = try store(chat)
        let without = store.run("export", "--format", "grpcurl")
        #expect(without.output.contains("# no command: nothing describes the messages of "))
        #expect(without.output.contains("demo.Greeter/Chat"))
        #expect(!without.output.contains("grpcurl -"))
        #expect(without.errors.contains("could not be written as a command"))

        #expect(store.run("proto", "add", set).code == 0)
        let run = store.run("export", "--format", "grpcurl")
        #expect(run.errors.isEmpty)
        #expect(
            run.output.hasSuffix(
                """
                grpcurl \\
                \t-plaintext \\
                \t-H 'x-token: a'\\''b' \\
                \t-d '{"name":"Ada","times":3,"mood":"GLAD"}
                {"times":7}
                {}' \\
                \t'greeter.test:50051' \\
                \t'demo.Greeter/Chat'


                """))
        #expect(run.output.hasPrefix("# 1 POST http://greeter.test:50051/demo.Greeter/Chat\n"))
    }

    @Test
    func `proxyctl export --format grpcurl omits unknown protobuf fields and says so in a comment`()
        throws
    {
        let (store, set) = try store(
            Greeter.call(ExchangeID(rawValue: 1), requests: [[0x10, 7, 0x98, 0x06, 1]]))
        #expect(store.run("proto", "add", set).code == 0)
        let output = store.run("export", "--format", "grpcurl").output
        #expect(output.contains("# not sent: fields of messages that nothing describes\n"))
        #expect(output.contains(#"-d '{"times":7}'"#))
    }

    @Test func `proxyctl export --format grpcurl skips broken, redacted and non-gRPC exchanges`()
        throws
    {
        var cut = Greeter.call(ExchangeID(rawValue: 2))
        cut.messages[0].flags.insert(.unfinished)
        var unread = Greeter.call(ExchangeID(rawValue: 3))
        unread.messages = []
        let broken = Greeter.call(ExchangeID(rawValue: 4), requests: [[0x0A, 9]])
        let (store, set) = try store(call, cut, unread, broken)
        #expect(store.run("proto", "add", set).code == 0)
        func output(_ arguments: String...) -> String {
            CommandRun(
                ["--data-dir", store.directoryPath, "export", "--format", "grpcurl"] + arguments
            ).output
        }
        #expect(output("id=1").contains("grpcurl \\"))
        #expect(
            output("id=1", "--redact").contains("# no command: a part of the request was left out"))
        #expect(output("id=2").contains("# no command: message 0 is not complete"))
        #expect(output("id=3").contains("# no command: its messages were not recorded"))
        #expect(output("id=4").contains("# no command: message 0 cannot be read"))
        let sample = try SampleStore()
        let plain = sample.run("export", "--format", "grpcurl", "id=1")
        #expect(plain.output.contains("# no command: it is not a gRPC call"))
    }
}

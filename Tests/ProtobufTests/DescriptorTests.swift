import ProxydProtobuf
import Testing

/// Descriptions of files: what is in them, and what is not one.
struct DescriptorTests {
    private static let service = Wire.bytes(
        6,
        Wire.text(1, "Greeter")
            + Wire.bytes(
                2,
                Wire.text(1, "SayHello") + Wire.text(2, ".hello.Request")
                    + Wire.text(3, ".hello.Reply") + Wire.number(6, 1)))

    @Test func `the descriptor of a gRPC method is found by the path of the request`() throws {
        let registry = try Description.registry(
            Description.file("hello.proto", package: "hello", DescriptorTests.service))
        for path in [
            "/hello.Greeter/SayHello", "/prefix/of/hello.Greeter/SayHello",
            "/hello.Greeter/SayHello?x=/a.B/C",
        ] {
            let method = try #require(registry.method(atPath: path))
            #expect(method.inputType == "hello.Request")
            #expect(method.outputType == "hello.Reply")
            #expect(method.isServerStreaming)
            #expect(!method.isClientStreaming)
        }
        for path in [
            "", "/", "//", "hello.Greeter/SayHello", "/hello.Greeter/", "/hello.Greeter/Other",
            "/other.Greeter/SayHello", "/hello.Greeter/SayHello/",
        ] {
            #expect(registry.method(atPath: path) == nil, "\(path)")
        }
    }

    @Test func `if two Protobuf files define the same message, the earlier file wins`() throws {
        func file(_ name: String, _ field: String) -> [UInt8] {
            Description.file(
                name, package: "p", Description.message("M", [Description.field(field, 1, .bool)]))
        }
        let registry = try Description.registry(file("a", "first"), file("b", "second"))
        #expect(registry.message(named: "p.M")?.fields[1]?.name == "first")
    }

    @Test(
        arguments: [
            ("proto3", [], false), ("proto2", [], true), ("", [], true), ("editions", [], true),
            ("editions", Wire.bytes(8, Wire.bytes(21, Wire.number(1, 2))), false),
            ("editions", Wire.bytes(8, Wire.bytes(21, Wire.number(1, 1))), true),
        ] as [(String, [UInt8], Bool)])
    func `the syntax or edition of a Protobuf file decides whether a field has presence`(
        syntax: String, options: [UInt8], hasPresence: Bool
    ) throws {
        let field = Description.field("f", 1, .int32, options)
        let file = try FileDescriptor(
            bytes: Description.file("f", syntax: syntax, Description.message("M", [field])))
        #expect(file.messages.first?.fields[1]?.hasPresence == hasPresence)
    }

    @Test func `the presence feature of a Protobuf editions file applies to all its fields`() throws
    {
        let options = Wire.bytes(8, Wire.bytes(50, Wire.number(1, 2)))
        let message = Description.message("M", [Description.field("f", 1, .int32)])
        let file = try FileDescriptor(
            bytes: Description.file("f", syntax: "editions", options + message))
        #expect(file.messages.first?.fields[1]?.hasPresence == false)
    }

    @Test(arguments: [("foo_bar", "fooBar"), ("_a", "A"), ("a__b_1c", "aB1c"), ("X_y", "XY")])
    func `the JSON name of a Protobuf field is derived if the descriptor has none`(
        name: String, jsonName: String
    ) throws {
        let message = Description.message("M", [Description.field(name, 1, .bool)])
        let file = try FileDescriptor(bytes: Description.file("f", message))
        #expect(file.messages.first?.fields[1]?.jsonName == jsonName)
    }

    // MARK: Others' files

    @Test(.enabled(if: Protoc.isThere, "no /usr/bin/protoc"))
    func `descriptor sets written by protoc are read`() throws {
        let files = try FileDescriptorSet.files(of: Protoc.descriptorSet())
            .map(FileDescriptor.init)
        #expect(files.last?.name == "legacy.proto")
        #expect(files.last?.dependencies == ["oracle.proto"])
        #expect(files.contains { $0.name == "google/protobuf/struct.proto" })
        let registry = DescriptorRegistry(files)
        let method = try #require(registry.method(atPath: "/oracle.v1.Garden/Watch"))
        #expect(method.inputType == "oracle.v1.WellKnown")
        #expect(method.outputType == "oracle.v1.Tree.Leaf")
        #expect(method.isClientStreaming && method.isServerStreaming)
        #expect(
            registry.enum(named: "oracle.v1.Tree.Leaf.Kind")?.names == [0: "UNKNOWN", 1: "SWEET"])
        #expect(registry.enum(named: "oracle.v1.Colour")?.names[1] == "RED")
        #expect(registry.service(named: "oracle.v1.Garden")?.methods.count == 2)
    }

    @Test func `file descriptors are read from gRPC reflection responses, in v1 and v1alpha`()
        throws
    {
        let files = [Description.file("a"), Description.file("b")]
        let answer = Wire.text(1, "host") + Wire.bytes(4, files.flatMap { Wire.bytes(1, $0) })
        #expect(try ReflectionAnswer.files(in: answer) == files)
        #expect(try ReflectionAnswer.files(in: Wire.bytes(6, Wire.text(1, "x"))) == [])
        #expect(throws: ProtobufError.self) { try ReflectionAnswer.files(in: [0x22, 0x7F]) }
        for (path, isGiven) in [
            ("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", true),
            ("/x/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", true),
            ("/grpc.reflection.v2.ServerReflection/ServerReflectionInfo", false),
            ("/xgrpc.reflection.v1.ServerReflection/ServerReflectionInfo", false),
            ("", false),
        ] {
            #expect(ReflectionAnswer.isGiven(atPath: Array(path.utf8)[...]) == isGiven, "\(path)")
        }
    }

    // MARK: Hostile

    @Test(
        arguments: [
            [], [0x0A], Array("syntax = \"proto3\";\nmessage M {}\n".utf8), Wire.number(1, 1),
        ] as [[UInt8]])
    func `bytes that are not a descriptor set are rejected`(bytes: [UInt8]) {
        #expect(throws: ProtobufError.self) { try FileDescriptorSet.files(of: bytes) }
    }

    @Test(
        arguments: [
            [], Description.file(""), Description.file("f", Description.message("", [])),
            Description.file("f", Description.message("M", [Wire.text(1, "x")])),
            Description.file("f", Description.message("M", [Description.field("x", 0, .bool)])),
            Description.file(
                "f", Description.message("M", [Description.field("x", 1 << 29, .bool)])),
            Description.file("f", Description.message("M", [Description.field("", 1, .bool)])),
            Description.file("f", Wire.bytes(6, [])), Description.file("f", Wire.bytes(4, [0x0A])),
            Description.file("f") + [0xFF],
        ] as [[UInt8]])
    func `bytes that are not a valid file descriptor are rejected`(bytes: [UInt8]) {
        #expect(throws: ProtobufError.self) { try FileDescriptor(bytes: bytes) }
    }

    @Test func `a file descriptor whose messages are nested beyond the limit is rejected`() {
        let name = Wire.text(1, "M")
        let message = Wire.nested(10_000, name, in: 3, behind: name)
        #expect(throws: ProtobufError.self) {
            try FileDescriptor(bytes: Description.file("f", Wire.bytes(4, message)))
        }
    }

    @Test func `a file descriptor that is too large is rejected`() {
        let bytes = Description.file("f") + Wire.bytes(9, [UInt8](repeating: 0, count: 2 << 20))
        #expect(throws: ProtobufError.self) { try FileDescriptor(bytes: bytes) }
    }
}

import Capture
import ProxydCaptureModel
import ProxydContentCoding
import ProxydHTTPModel
import ProxydStoreTestSupport
import ProxydTestSupport
import Testing

/// Descriptions of messages: given, and taken out of answers of a server's reflection.
struct ProtoFileTests {
    private let store = TemporaryStore()

    private func given(_ name: String, _ bytes: [UInt8] = [1]) -> ProtoFile {
        ProtoFile(name: name, source: .given, bytes: bytes)
    }

    private func seen(_ name: String, _ bytes: [UInt8] = [2]) -> ProtoFile {
        ProtoFile(name: name, source: .reflection, bytes: bytes)
    }

    private func add(_ files: [ProtoFile], _ recorder: Recorder) throws {
        try recorder.wait { recorder.addProtoFiles(files, completion: $0) }
    }

    private func names(_ recorder: Recorder) throws -> [String] {
        try recorder.flush()
        return try store.reader().protoFiles().map { "\($0.name) \($0.source) \($0.bytes)" }
    }

    @Test func `protobuf descriptors are stored, replaced and removed by name`() throws {
        let recorder = try store.recorder()
        defer { recorder.stop() }
        try add([given("b"), given("a")], recorder)
        #expect(try names(recorder) == ["a given [1]", "b given [1]"])
        try add([given("b", [3, 4])], recorder)
        #expect(try names(recorder) == ["b given [3, 4]", "a given [1]"])
        for isThere in [true, false] {
            let was = try recorder.wait { recorder.removeProtoFile(named: "b", completion: $0) }
            #expect(was == isThere)
        }
        #expect(try names(recorder) == ["a given [1]"])
    }

    @Test func `a protobuf descriptor from gRPC reflection never replaces one added by a user`()
        throws
    {
        let recorder = try store.recorder()
        defer { recorder.stop() }
        try add([given("a"), seen("b")], recorder)
        try add([seen("a"), seen("b", [9])], recorder)
        #expect(try names(recorder) == ["a given [1]", "b reflection [9]"])
        try add([given("b", [8])], recorder)
        #expect(Set(try names(recorder)) == ["a given [1]", "b given [8]"])
    }

    @Test func `the version of the protobuf descriptors changes only when they change`() throws {
        let recorder = try store.recorder()
        defer { recorder.stop() }
        let reader = try store.reader()
        var versions = [try reader.protoFileVersion()]
        for change in [[given("a")], [given("b")], [given("a", [5])], [seen("c")]] {
            try add(change, recorder)
            versions.append(try reader.protoFileVersion())
        }
        _ = try recorder.wait { recorder.removeProtoFile(named: "c", completion: $0) }
        versions.append(try reader.protoFileVersion())
        #expect(Set(versions).count == 5)
        #expect(versions.last == versions[3], "the same files as before")
        recorder.recordSample()
        try add([seen("b")], recorder)
        #expect(try reader.protoFileVersion() == versions.last)
    }

    @Test
    func `excess protobuf descriptors are dropped oldest first, but never those added by a user`()
        throws
    {
        let recorder = try store.recorder()
        defer { recorder.stop() }
        try add([given("given")], recorder)
        try add((0..<4_100).map { seen("\($0)") }, recorder)
        let files = try store.reader().protoFiles()
        #expect(files.count == 4_097)
        #expect(files.first?.name == "given")
        #expect(files.dropFirst().first?.name == "4099")
        #expect(!files.contains { $0.name == "3" })
    }

    // MARK: Reflection

    private static let path = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"

    /// An answer with a file, as a server gives it.
    private static let answer: [UInt8] = {
        let file = Greeter.descriptorSet
        return [0x0A, 1, 0x68, 0x22] + [UInt8(file.count & 0x7F | 0x80), UInt8(file.count >> 7)]
            + file
    }()

    @Test(arguments: ["v1", "v1alpha"])
    func `a protobuf descriptor in a gRPC reflection response is stored`(version: String) throws {
        let recorder = try store.recorder()
        defer { recorder.stop() }
        let path = ProtoFileTests.path.replacing("v1", with: version)
        recorder.record(
            Greeter.call(
                recorder.nextExchangeID(), path: path,
                replies: [[0x32, 0], ProtoFileTests.answer]))
        try recorder.flush()
        let files = try store.reader().protoFiles()
        #expect(files.map(\.name) == ["greeter.proto"])
        #expect(files.first?.source == .reflection)
        #expect(files.first?.bytes == Greeter.file)
    }

    @Test func `a protobuf descriptor is stored while its gRPC reflection call is still active`()
        throws
    {
        let recorder = try store.recorder()
        defer { recorder.stop() }
        let id = recorder.nextExchangeID()
        var whole = Greeter.call(id, path: ProtoFileTests.path, replies: [ProtoFileTests.answer])
        let (body, messages) = (whole.responseBody, whole.messages)
        whole.state = .active
        whole.responseBody = ExchangeUpdate.BodyProgress()
        whole.responseTrailers = nil
        whole.messages = []
        recorder.record(whole)
        try recorder.flush()
        #expect(try store.reader().protoFiles().isEmpty)
        var later = Samples.later(id)
        later.responseBody = body
        later.messages = messages
        recorder.record(later)
        try recorder.flush()
        #expect(try store.reader().protoFiles().map(\.name) == ["greeter.proto"])
    }

    @Test func `a protobuf descriptor is found in a compressed gRPC reflection response`() throws {
        let recorder = try store.recorder()
        defer { recorder.stop() }
        let answer = ProtoFileTests.answer
        let gzip = try ContentEncoder.encode(answer.span, as: .gzip)
        recorder.record(
            Greeter.call(
                recorder.nextExchangeID(), path: ProtoFileTests.path, replies: [gzip],
                encoding: "gzip"))
        try recorder.flush()
        #expect(try store.reader().protoFiles().map(\.name) == ["greeter.proto"])
    }

    @Test(
        arguments: [
            ("/demo.Greeter/SayHello", ProtoFileTests.answer),
            (ProtoFileTests.path, [0x22, 0x7F]), (ProtoFileTests.path, [0x22, 2, 0x0A, 0]),
            (ProtoFileTests.path, [0x22, 4, 0x0A, 2, 0xFF, 0xFF]),
            (ProtoFileTests.path, [UInt8](repeating: 0x0B, count: 10_000)),
        ] as [(String, [UInt8])])
    func `no protobuf descriptor is stored from invalid or unrelated gRPC messages`(
        path: String, answer: [UInt8]
    )
        throws
    {
        let recorder = try store.recorder()
        defer { recorder.stop() }
        recorder.record(
            Greeter.call(recorder.nextExchangeID(), path: path, replies: [answer]))
        try recorder.flush()
        #expect(try store.reader().protoFiles().isEmpty)
        #expect(try store.reader().exchangeCount() == 1)
        #expect(recorder.status.lastError == nil)
    }

    @Test func `only the first 1,024 responses of a gRPC reflection call are examined`() throws {
        let recorder = try store.recorder()
        defer { recorder.stop() }
        let replies = [[UInt8]](repeating: [0x32, 0], count: 1_024) + [ProtoFileTests.answer]
        recorder.record(
            Greeter.call(recorder.nextExchangeID(), path: ProtoFileTests.path, replies: replies))
        try recorder.flush()
        #expect(try store.reader().protoFiles().isEmpty)
    }
}

internal import Foundation
public import ProxydHTTPModel

/// A service of gRPC, its description, and calls of it as a recorder gets them.
///
///     syntax = "proto3";
///     package demo;
///     import "google/protobuf/timestamp.proto";
///     enum Mood { UNSET = 0; GLAD = 1; }
///     message HelloRequest { string name = 1; int32 times = 2; Mood mood = 3; }
///     message HelloReply { string message = 1; google.protobuf.Timestamp at = 2; }
///     service Greeter {
///       rpc SayHello(HelloRequest) returns (HelloReply);
///       rpc Chat(stream HelloRequest) returns (stream HelloReply);
///     }
public enum Greeter {
    /// What `protoc --descriptor_set_out` writes of the file above, without what it imports.
    public static let descriptorSet = [UInt8](Data(base64Encoded: base64) ?? Data())
    /// The one file in it: the set has a tag and a length of two bytes in front.
    public static let file = Array(descriptorSet.dropFirst(3))
    /// `{"name":"Ada","times":3,"mood":"GLAD"}`.
    public static let request: [UInt8] = [0x0A, 3, 0x41, 0x64, 0x61, 0x10, 3, 0x18, 1]
    /// `{"message":"Hello Ada","at":"2000-02-29T00:00:00Z"}`.
    public static let reply: [UInt8] =
        [0x0A, 9] + Array("Hello Ada".utf8) + [0x12, 6, 0x08, 0x80, 0x98, 0xEC, 0xC5, 0x03]

    /// A message behind its prefix.
    public static func prefixed(_ message: [UInt8], isCompressed: Bool = false) -> [UInt8] {
        let length = (0..<4).map { UInt8(truncatingIfNeeded: message.count >> (8 * (3 - $0))) }
        return [isCompressed ? 1 : 0] + length + message
    }

    /// A whole call with its messages as ranges of both bodies.
    public static func call(
        _ id: ExchangeID, path: String = "/demo.Greeter/SayHello", requests: [[UInt8]] = [request],
        replies: [[UInt8]] = [reply], status: String = "0", message: String? = nil,
        fields: [(name: String, value: String)] = [], encoding: String? = nil
    ) -> ExchangeUpdate {
        var timeline = Timeline(wallStart: 1_763_712_000_123_456_789, start: 0)
        timeline[.requestHead] = 1_000
        timeline[.delivered] = 2_000_000
        var update = ExchangeUpdate(id: id, state: .complete, timeline: timeline, isFirst: true)
        let url = RawURL(
            scheme: "http", host: "greeter.test", port: 50_051, origin: Array(path.utf8))
        update.url = url
        let own = [("Host", url.authority), ("Content-Type", "application/grpc")]
        update.requestHead = RequestHead(
            method: .post, target: url.origin,
            fields: HeaderFields(own.map { (name: $0.0, value: $0.1) } + fields))
        update.requestBody = body(requests, isCompressed: false)
        update.messages = messages(requests, .toServer, isCompressed: false)
        var answer: [(name: String, value: String)] = [("Content-Type", "application/grpc")]
        if let encoding { answer.append((name: "grpc-encoding", value: encoding)) }
        update.responseHead = ResponseHead(
            status: 200, reason: "OK", fields: HeaderFields(answer))
        update.responseBody = body(replies, isCompressed: encoding != nil)
        update.messages += messages(replies, .toClient, isCompressed: encoding != nil)
        for index in update.messages.indices { update.messages[index].position = Int64(index) }
        var trailers: [(name: String, value: String)] = [("grpc-status", status)]
        if let message { trailers.append((name: "grpc-message", value: message)) }
        update.responseTrailers = HeaderFields(trailers)
        return update
    }

    private static func body(
        _ messages: [[UInt8]], isCompressed: Bool
    ) -> ExchangeUpdate.BodyProgress {
        var progress = ExchangeUpdate.BodyProgress()
        progress.appended = messages.flatMap { prefixed($0, isCompressed: isCompressed) }
        progress.byteCount = Int64(progress.appended.count)
        progress.isComplete = true
        return progress
    }

    private static func messages(
        _ messages: [[UInt8]], _ direction: MessageRecord.Direction, isCompressed: Bool
    ) -> [MessageRecord] {
        var start: Int64 = 0
        return messages.map { message in
            let count = Int64(message.count)
            defer { start += 5 + count }
            return MessageRecord(
                direction: direction, kind: .grpc, flags: isCompressed ? .compressed : [],
                byteCount: count, wireByteCount: 5 + count,
                content: .body(start + 5..<start + 5 + count))
        }
    }

    private static let base64 =
        "CvgCCg1ncmVldGVyLnByb3RvEgRkZW1vGh9nb29nbGUvcHJvdG9idWYvdGltZXN0YW1wLnByb3Rv"
        + "IlgKDEhlbGxvUmVxdWVzdBISCgRuYW1lGAEgASgJUgRuYW1lEhQKBXRpbWVzGAIgASgFUgV0aW1l"
        + "cxIeCgRtb29kGAMgASgOMgouZGVtby5Nb29kUgRtb29kIlIKCkhlbGxvUmVwbHkSGAoHbWVzc2Fn"
        + "ZRgBIAEoCVIHbWVzc2FnZRIqCgJhdBgCIAEoCzIaLmdvb2dsZS5wcm90b2J1Zi5UaW1lc3RhbXBS"
        + "AmF0KhsKBE1vb2QSCQoFVU5TRVQQABIICgRHTEFEEAEybQoHR3JlZXRlchIwCghTYXlIZWxsbxIS"
        + "LmRlbW8uSGVsbG9SZXF1ZXN0GhAuZGVtby5IZWxsb1JlcGx5EjAKBENoYXQSEi5kZW1vLkhlbGxv"
        + "UmVxdWVzdBoQLmRlbW8uSGVsbG9SZXBseSgBMAFiBnByb3RvMw=="
}

/// A file that describes messages of protocol buffers, as a store keeps it.
public struct ProtoFile: Sendable, Hashable {
    /// How it came to be there.
    public enum Source: String, Sendable, Hashable, CaseIterable {
        /// Somebody gave it.
        case given
        /// It was seen in an answer of a server's reflection.
        case reflection
    }

    /// Its name, as other files import it: `google/rpc/status.proto`.
    public var name: String
    /// How it came to be there.
    public var source: Source
    /// When it came to be there, in nanoseconds since 1970.
    public var addedNs: Int64
    /// Its description: a `google.protobuf.FileDescriptorProto`.
    public var octets: [UInt8]

    /// A file.
    public init(name: String, source: Source, addedNs: Int64 = 0, octets: [UInt8]) {
        self.name = name
        self.source = source
        self.addedNs = addedNs
        self.octets = octets
    }
}

/// Which files of messages' descriptions a store has: it changes with each that comes or goes.
public struct ProtoFileVersion: Sendable, Hashable {
    /// How many there are.
    public var count: Int64
    /// The highest number of a row.
    public var lastID: Int64
    /// When the latest came, in nanoseconds since 1970.
    public var lastAddedNs: Int64

    /// A version.
    public init(count: Int64 = 0, lastID: Int64 = 0, lastAddedNs: Int64 = 0) {
        self.count = count
        self.lastID = lastID
        self.lastAddedNs = lastAddedNs
    }
}

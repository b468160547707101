public import ProxydCaptureModel
public import ProxydHTTPModel
public import ProxydProtobuf
internal import Synchronization

/// The descriptions of messages in a store, read once for as long as they stay the same. Safe on
/// any thread.
public final class DescriptorCache: Sendable {
    private struct Entry {
        let store: UInt64
        let version: ProtoFileVersion
        let registry: DescriptorRegistry
    }

    private let entry = Mutex<Entry?>(nil)

    /// A cache that has nothing yet.
    public init() {}

    /// What a store describes now.
    public func registry(
        _ reader: any ExchangeReading
    ) throws(StoreError) -> DescriptorRegistry {
        let version = try reader.protoFileVersion()
        let store = reader.storeNumber
        if let entry = entry.withLock({ $0 }), entry.store == store, entry.version == version {
            return entry.registry
        }
        let files = try reader.protoFiles().compactMap { try? FileDescriptor(octets: $0.octets) }
        let registry = DescriptorRegistry(files)
        entry.withLock { $0 = Entry(store: store, version: version, registry: registry) }
        return registry
    }

    /// A reader of the messages of an exchange; nil where it is gone or its URL could not be read.
    public func reading(
        of id: ExchangeID, _ reader: any ExchangeReading
    ) throws(StoreError) -> GRPCReading? {
        guard let exchange = try reader.exchange(id, bodyByteCountMax: 0),
            let call = GRPCCall(exchange)
        else { return nil }
        return GRPCReading(call, try registry(reader))
    }
}

internal import Capture
internal import ProxydDaemonConfiguration

extension RecorderConfiguration {
    /// The recorder's settings from the daemon's configuration.
    init(_ recording: Configuration.Recording) {
        self.init()
        queueByteCountMax = recording.queueByteCountMax
        congestionPolicy = recording.whenQueueFull == .slow ? .slow : .drop
        durability = recording.durability == .full ? .always : .everySecond
        freeSpaceFloorByteCount = Int64(recording.freeSpaceFloorByteCount)
        unstored = UnstoredNames(
            fields: recording.unstoredFields, parameters: recording.unstoredParameters)
        retention = RetentionPolicy(recording)
    }
}

extension RetentionPolicy {
    /// Creates the policy from the configuration. A limit of zero means no limit.
    fileprivate init(_ recording: Configuration.Recording) {
        func limit(_ value: Int, times factor: Int64 = 1) -> Int64? {
            value == 0 ? nil : Int64(value) &* factor
        }
        self.init(
            ageMaxSeconds: limit(recording.retentionAgeDays, times: 86_400),
            exchangeCountMax: limit(recording.retentionExchangeCountMax),
            storeByteCountMax: limit(recording.retentionByteCountMax))
        waitsForDelivery = recording.retentionWaitsForDelivery
    }
}

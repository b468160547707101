/// Limits of the control protocol.
public enum ControlLimits {
    /// The longest line in either direction, in bytes. A head of 256 KiB and a piece of a body fit,
    /// in base64.
    public static let lineByteCountMax = 4 << 20
    /// The largest piece of a body in one imported update, in bytes before base64.
    public static let bodyPieceByteCountMax = 512 << 10
    /// The largest piece of a part of a held message, in bytes before base64.
    public static let holdPieceByteCountMax = 512 << 10
    /// The most bytes that may wait for a client that does not read; more drops the client.
    public static let backlogByteCountMax = 4 << 20
    /// The largest number of connected clients.
    public static let connectionCountMax = 64
    /// The most unfinished requests of one client; beyond that, the daemon stops reading from it.
    public static let pendingRequestCountMax = 64
    /// The most numbers of each kind that one command can reserve.
    public static let identifierCountMax = 1_000
    /// The allowed numbers of imported exchanges and connections: the store continues after the
    /// highest one it has seen, and must not run out of numbers.
    public static let importedNumbers: ClosedRange<Int64> = 1...(1 << 34)
}

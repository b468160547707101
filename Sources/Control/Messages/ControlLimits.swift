/// Bounds of the control protocol.
public enum ControlLimits {
    /// A line in either direction, octets. A head of 256 KiB and a piece of a body fit, in base64.
    public static let lineByteCountMax = 4 << 20
    /// A piece of a body in one imported update, octets before base64.
    public static let bodyPieceByteCountMax = 512 << 10
    /// A piece of a part of a held message, bytes before base64.
    public static let holdPieceByteCountMax = 512 << 10
    /// What may wait for a client that does not read, octets; more drops the client.
    public static let backlogByteCountMax = 4 << 20
    /// Clients at a time.
    public static let connectionCountMax = 64
    /// Requests of one client that are being worked on; more pauses reading from it.
    public static let pendingRequestCountMax = 64
    /// Numbers of each kind that one command can take.
    public static let identifierCountMax = 1_000
    /// The numbers that imported exchanges and connections may have: the store goes on behind the
    /// highest one it has seen, and must not run out of them.
    public static let importedNumbers: ClosedRange<Int64> = 1...(1 << 34)
}

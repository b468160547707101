internal import ProxydCaptureModel

extension StoredMessage {
    /// The body that messages in this direction belong to.
    var bodyPart: BodyPart { self == .request ? .request : .response }
}

internal import ProxydCaptureModel

extension StoredMessage {
    /// Which of the bodies it is.
    var bodyPart: BodyPart { self == .request ? .request : .response }
}

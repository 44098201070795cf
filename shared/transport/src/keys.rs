//! The keys of a session: two certificates generated for it, each end accepting only the other's. No authority, no names.

use std::fmt;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{
    CertificateError, DigitallySignedStruct, DistinguishedName, Error as TlsError, SignatureScheme,
};
use serde::{Deserialize, Serialize};

const PROTOCOL: &[u8] = b"retap";

/// The keys of one end of a session.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionKeys {
    certificate: Vec<u8>,
    private_key: Vec<u8>,
    /// The only certificate that is accepted from the other end.
    peer: Vec<u8>,
}

/// Why keys cannot be generated or used.
#[derive(Debug, thiserror::Error)]
pub enum SessionKeysError {
    /// A certificate cannot be generated.
    #[error("could not generate a certificate for the session")]
    Make(#[from] rcgen::Error),
    /// TLS does not accept the keys.
    #[error("TLS does not accept the session's keys")]
    Use(#[from] TlsError),
}

impl SessionKeys {
    /// Generates the agent's keys and the host's keys.
    pub fn generate() -> Result<(SessionKeys, SessionKeys), SessionKeysError> {
        let [(agent, agent_key), (host, host_key)] = [identity("agent")?, identity("host")?];
        Ok((
            SessionKeys {
                certificate: agent.clone(),
                private_key: agent_key,
                peer: host.clone(),
            },
            SessionKeys {
                certificate: host,
                private_key: host_key,
                peer: agent,
            },
        ))
    }

    /// These keys, but accepting the certificate of `other`: the keys of an attacker who has seen that certificate.
    pub fn expecting_peer_of(&self, other: &SessionKeys) -> SessionKeys {
        SessionKeys {
            peer: other.certificate.clone(),
            ..self.clone()
        }
    }

    /// The certificates of both ends, this one's first.
    pub(crate) fn certificates(&self) -> [&[u8]; 2] {
        [&self.certificate, &self.peer]
    }

    pub(crate) fn server(&self) -> Result<rustls::ServerConfig, SessionKeysError> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = rustls::ServerConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(&[&rustls::version::TLS13])?
            .with_client_cert_verifier(Arc::new(PinnedCertificate::new(&self.peer, provider)))
            .with_single_cert(vec![self.certificate.clone().into()], self.private_key())?;
        config.alpn_protocols = vec![PROTOCOL.into()];
        // With a session ticket a peer could reconnect without its certificate.
        config.send_tls13_tickets = 0;
        config.max_early_data_size = 0;
        Ok(config)
    }

    pub(crate) fn client(&self) -> Result<rustls::ClientConfig, SessionKeysError> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = rustls::ClientConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(&[&rustls::version::TLS13])?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(PinnedCertificate::new(
                &self.peer, provider,
            )))
            .with_client_auth_cert(vec![self.certificate.clone().into()], self.private_key())?;
        config.alpn_protocols = vec![PROTOCOL.into()];
        config.resumption = rustls::client::Resumption::disabled();
        Ok(config)
    }

    fn private_key(&self) -> PrivateKeyDer<'static> {
        PrivatePkcs8KeyDer::from(self.private_key.clone()).into()
    }
}

impl fmt::Debug for SessionKeys {
    /// Without the private key, which must not appear in a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionKeys").finish_non_exhaustive()
    }
}

fn identity(name: &str) -> Result<(Vec<u8>, Vec<u8>), rcgen::Error> {
    let generated = rcgen::generate_simple_self_signed([format!("{name}.retap")])?;
    let certificate = generated.cert.der().to_vec();
    Ok((certificate, generated.signing_key.serialize_der()))
}

/// Accepts one certificate, byte for byte, if the peer proves that it has its key.
#[derive(Debug)]
struct PinnedCertificate {
    certificate: CertificateDer<'static>,
    provider: Arc<CryptoProvider>,
}

impl PinnedCertificate {
    fn new(certificate: &[u8], provider: Arc<CryptoProvider>) -> Self {
        PinnedCertificate {
            certificate: certificate.to_vec().into(),
            provider,
        }
    }

    fn check(&self, shown: &CertificateDer<'_>) -> Result<(), TlsError> {
        if shown.as_ref() == self.certificate.as_ref() {
            return Ok(());
        }
        Err(TlsError::InvalidCertificate(
            CertificateError::ApplicationVerificationFailure,
        ))
    }
}

impl ServerCertVerifier for PinnedCertificate {
    fn verify_server_cert(
        &self,
        shown: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, TlsError> {
        self.check(shown).map(|()| ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        verify_tls12_signature(
            message,
            certificate,
            signed,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        verify_tls13_signature(
            message,
            certificate,
            signed,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}

impl ClientCertVerifier for PinnedCertificate {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        shown: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: UnixTime,
    ) -> Result<ClientCertVerified, TlsError> {
        self.check(shown).map(|()| ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        ServerCertVerifier::verify_tls12_signature(self, message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        ServerCertVerifier::verify_tls13_signature(self, message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        ServerCertVerifier::supported_verify_schemes(self)
    }
}

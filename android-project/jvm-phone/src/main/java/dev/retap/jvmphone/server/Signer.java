package dev.retap.jvmphone.server;

import android.content.pm.Signature;
import android.util.apk.ApkSignatureSchemeV2Verifier;
import android.util.apk.ApkSignatureSchemeV3Verifier;
import android.util.apk.SignatureNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** Signers of an APK. Nothing is verified: the user chose the file. */
public final class Signer {
  private static final Pattern BLOCK =
      Pattern.compile("META-INF/[^/]*\\.(RSA|DSA|EC)", Pattern.CASE_INSENSITIVE);

  private Signer() {}

  /** Certificates of an APK; empty if it is not signed. */
  public static Signature[] of(String apk) {
    List<Signature> found = new ArrayList<>();
    try {
      for (Certificate certificate : certificates(apk)) {
        found.add(new Signature(certificate.getEncoded()));
      }
    } catch (IOException | CertificateException e) {
      System.err.println("warning: could not read the signers of `" + apk + "`: " + e);
    }
    return found.toArray(new Signature[0]);
  }

  private static List<Certificate> certificates(String apk)
      throws IOException, CertificateException {
    try {
      return List.of(ApkSignatureSchemeV3Verifier.unsafeGetCertsWithoutVerification(apk).certs[0]);
    } catch (SignatureNotFoundException | SecurityException e) {
      // Signed by older tools, or for older phones.
    }
    try {
      return List.of(ApkSignatureSchemeV2Verifier.unsafeGetCertsWithoutVerification(apk)[0][0]);
    } catch (SignatureNotFoundException | SecurityException e) {
      return inBlocks(apk);
    }
  }

  /** Certificates of the JAR signature, used before Android 7. */
  private static List<Certificate> inBlocks(String apk) throws IOException, CertificateException {
    List<Certificate> found = new ArrayList<>();
    try (ZipFile zip = new ZipFile(apk)) {
      for (ZipEntry entry : (Iterable<ZipEntry>) zip.stream().map(ZipEntry.class::cast)::iterator) {
        if (BLOCK.matcher(entry.getName()).matches()) {
          try (InputStream block = zip.getInputStream(entry)) {
            Collection<? extends Certificate> chain =
                CertificateFactory.getInstance("X.509").generateCertificates(block);
            chain.stream().findFirst().ifPresent(found::add);
          }
        }
      }
    }
    return found;
  }
}

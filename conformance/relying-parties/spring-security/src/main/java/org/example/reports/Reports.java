package org.example.reports;

import static org.springframework.security.config.Customizer.withDefaults;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.oauth2.client.OAuth2AuthorizedClient;
import org.springframework.security.oauth2.client.annotation.RegisteredOAuth2AuthorizedClient;
import org.springframework.security.oauth2.client.oidc.web.logout.OidcClientInitiatedLogoutSuccessHandler;
import org.springframework.security.oauth2.client.registration.ClientRegistrationRepository;
import org.springframework.security.oauth2.client.web.DefaultOAuth2AuthorizationRequestResolver;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Signs people in by Spring Security, as the chapters "OAuth 2.0 Login" and "OIDC Logout" of its reference show. */
@SpringBootApplication
@RestController
public class Reports {
    public static void main(String[] arguments) {
        SpringApplication.run(Reports.class, arguments);
    }

    @Bean
    SecurityFilterChain filterChain(HttpSecurity http, ClientRegistrationRepository registrations) throws Exception {
        var atGatehouse = new OidcClientInitiatedLogoutSuccessHandler(registrations);
        atGatehouse.setPostLogoutRedirectUri("{baseUrl}/");
        // Gatehouse gives a refresh token when the person is asked.
        var requests = new DefaultOAuth2AuthorizationRequestResolver(registrations, "/oauth2/authorization");
        requests.setAuthorizationRequestCustomizer(
                request -> request.additionalParameters(parameters -> parameters.put("prompt", "consent")));
        return http
                .authorizeHttpRequests(pages -> pages.requestMatchers("/").permitAll().anyRequest().authenticated())
                .oauth2Login(login -> login.authorizationEndpoint(at -> at.authorizationRequestResolver(requests)))
                .logout(logout -> logout.logoutSuccessHandler(atGatehouse))
                .oidcLogout(logout -> logout.backChannel(withDefaults()))
                .build();
    }

    @GetMapping(path = "/", produces = "text/html")
    String home(@AuthenticationPrincipal OidcUser person, CsrfToken csrf) {
        if (person == null) return "<a href=\"/oauth2/authorization/gatehouse\">Sign in</a>";
        return "Hello %s, %s. <form method=\"post\" action=\"/logout\"><input type=\"hidden\" name=\"%s\" value=\"%s\"><button>Sign out</button></form>"
                .formatted(person.getName(), person.getEmail(), csrf.getParameterName(), csrf.getToken());
    }

    /** Spring refreshes the access token when it has ended, or ends within a minute. */
    @GetMapping("/token")
    String token(@RegisteredOAuth2AuthorizedClient("gatehouse") OAuth2AuthorizedClient client) {
        return client.getAccessToken().getTokenValue() + " " + (client.getRefreshToken() != null);
    }
}
